"""The command line: what it prints, writes and refuses."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import version

import numpy as np
import pytest
from PIL import Image as Pillow

import commands
import mpirun
import sortlast
from refusals import refused
from sortlast import image_files, schedule
from sortlast.image_files import Image

RANKS = 3


# --- the whole ----------------------------------------------------------------------------------------


def test_version(cli):
    assert cli("--version") == (0, f"sortlast {version('sortlast')}\n", "")


def test_the_module_runs_as_the_command_does():
    done = subprocess.run(
        [sys.executable, "-m", "sortlast", "schedule", "nope", "--p", "2"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("sortlast: algorithm 'nope' is not known")


def test_a_defect_shows_its_traceback_and_status_1(cli, monkeypatch):
    monkeypatch.setattr(schedule, "algorithms", lambda: 1 / 0)
    status, _, err = cli("schedule", "--list")
    assert status == 1
    assert "ZeroDivisionError" in err


# --- schedule -----------------------------------------------------------------------------------------


def test_list_of_algorithms(cli):
    entries = schedule.algorithms()
    status, out, _ = cli("schedule", "--list", "--json", "-")
    assert status == 0
    assert json.loads(out) == [
        {key: getattr(entry, key) for key in ("name", "usage", "latency", "transfer", "overlap", "summary")}
        for entry in entries
    ]
    status, out, _ = cli("schedule", "--list")
    assert status == 0
    for entry in entries:
        assert entry.usage in out  # brackets are no markup


def test_schedule_prints_stages_by_ranks(cli):
    status, out, _ = cli("schedule", "shift", "--p", 4, "--n", 400)
    assert status == 0
    assert out.startswith("shift: 4 ranks, 400 pixels, 3 stages, verified\n")
    assert "> 1 100:200" in out
    table = [re.split(r"[│┃]", line)[1:-1] for line in out.splitlines() if line[:1] in "│┃"]
    assert [cell.strip() for cell in table[0]] == ["stage", *(f"rank {rank}" for rank in range(4))]
    assert [cell.strip() for cell in table[1]] == ["1", *(f"> {(i + 1) % 4} {s}" for i, s in pieces())]
    assert [cell.strip() for cell in table[2]] == ["", "< 3", "< 0", "< 1", "< 2"]


def pieces():
    """Of 400 pixels, what each of 4 ranks sends in stage 1 of shift."""
    return [(rank, f"{(rank + 1) % 4 * 100}:{(rank + 1) % 4 * 100 + 100}") for rank in range(4)]


def test_schedule_prints_one_rank(cli):
    _, out, _ = cli("schedule", "shift", "--p", 3, "--n", 30, "--rank", 1)
    program = schedule.make("shift", p=3, n=30).program(1)
    assert "rank 1" in out
    assert out.count(" send ") == len(program.sends)
    assert out.count(" receive ") == len(program.receives)
    # Value 1, rank 0's, lies in front of its own, value 0; value 2, rank 2's, behind both.
    assert "value 3 = ((1 over 0) over 2) for pixels 10:20, depth 0:3" in out
    assert f"ends with value {program.result}, pixels 10:20" in out


@pytest.mark.parametrize("name", ["shift", "radix-k:4,3", "tree", "parallel-pipeline"])
def test_one_rank_as_json_is_its_part_of_the_whole(cli, name, tmp_path):
    assert cli("schedule", name, "--p", 12, "--json", tmp_path / "all.json")[0] == 0
    assert cli("schedule", name, "--p", 12, "--rank", 7, "--json", tmp_path / "one.json")[0] == 0
    whole = json.loads((tmp_path / "all.json").read_text())
    assert json.loads((tmp_path / "one.json").read_text()) == whole["programs"][7]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("shift", "--p", 100_000), "shift of 100,000 ranks has more than 4,000,000 transfers"),
        (("direct-send", "--p", 2000, "--json", "a.json"), "1,000,000 transfers, the most for --json"),
        (("direct-send", "--p", 2000, "--draw", "a.png"), "50,000 transfers, the most for --draw"),
    ],
)
def test_a_schedule_of_too_many_transfers_says_what_to_ask_instead(cli, arguments, message):
    told = refused(cli("schedule", *arguments))
    assert message in told
    assert "ask for the steps of one rank (--rank 0), for fewer ranks, or for the cost" in told


def test_schedule_as_json_and_picture(cli, tmp_path):
    status, out, _ = cli(
        "schedule", "radix-k:4,3", "--p", 12, "--n", 120, "--order", "11,10,9,8,7,6,5,4,3,2,1,0",
        "--json", tmp_path / "s.json", "--draw", tmp_path / "s.svg",
    )  # fmt: skip
    assert status == 0
    assert "stages, verified" in out
    made = schedule.make("radix-k:4,3", p=12, n=120, order=list(range(11, -1, -1)))
    assert json.loads((tmp_path / "s.json").read_text()) == json.loads(made.to_json())
    assert b"<svg" in (tmp_path / "s.svg").read_bytes()


def test_schedule_refuses_in_one_line(cli, tmp_path):
    assert "nope" in refused(cli("schedule", "nope", "--p", 4))
    for given in (("shift",), ("--p", 4)):
        assert "give an algorithm and --p, or --list" in cli("schedule", *given)[2]
    assert "order" in refused(cli("schedule", "shift", "--p", 3, "--order", "0,1,1"))
    assert "rank" in refused(cli("schedule", "shift", "--p", 3, "--rank", 3))
    assert "gif" in refused(cli("schedule", "shift", "--p", 3, "--draw", tmp_path / "s.gif"))
    assert "cannot write" in cli("schedule", "shift", "--p", 3, "--json", "/dev/null/s.json")[2]
    assert list(tmp_path.iterdir()) == []


# --- composite ----------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    """Three half transparent images, 13x7, as png, npy and exr; their premultiplied pixels beside them."""
    random = np.random.default_rng(5)
    paths = [tmp_path / name for name in ("a.png", "b.npy", "c.exr")]
    for path in paths:
        straight = random.random((7, 13, 4), dtype=np.float32)
        depth = random.random((7, 13), dtype=np.float32)
        image_files.write(path, Image(image_files.premultiplied(straight), depth))
        np.save(path.with_suffix(".z.npy"), depth)
    return paths


def composite(*args):
    return commands.run("composite", *args)


def read(paths):
    return [image_files.read(path).pixels for path in paths]


@pytest.mark.family
@pytest.mark.mpi
@pytest.mark.parametrize("algorithm", ["auto", "shift", "radix-k:3"])
def test_composite_over(files, tmp_path, algorithm):
    output = tmp_path / "out.npy"
    done = composite(*files, "-o", output, "--order", "2,0,1", "--algorithm", algorithm)
    assert done.returncode == 0, done.stderr
    assert f"wrote {output}: 3 images of 13x7, over" in done.stdout
    expected = sortlast.composite_serial(read(files), op="over", order=[2, 0, 1]).colour
    np.testing.assert_allclose(np.load(output), expected, atol=3e-6)


@pytest.mark.mpi
def test_composite_writes_straight_alpha_to_png(files, tmp_path):
    done = composite(*files, "-o", tmp_path / "out.png", "--background", "0.5,0.25,1,0.5")
    assert done.returncode == 0, done.stderr
    expected = sortlast.composite_serial(read(files), op="over", background=[0.25, 0.125, 0.5, 0.5])
    straight = np.rint(255 * image_files.straight(expected.colour))
    written = np.asarray(Pillow.open(tmp_path / "out.png")).astype(int)
    assert np.abs(written - straight).max() <= 1


@pytest.mark.mpi
def test_composite_takes_depth_from_exr_and_writes_it(tmp_path):
    random = np.random.default_rng(9)
    images = [
        Image(*(random.random(shape, dtype=np.float32) for shape in ((4, 6, 3), (4, 6)))) for _ in range(2)
    ]
    paths = [tmp_path / "a.exr", tmp_path / "b.exr"]
    for path, image in zip(paths, images, strict=True):
        image_files.write(path, image)
    done = composite(*paths, "-o", tmp_path / "out.exr", "--op", "closest")
    assert done.returncode == 0, done.stderr
    out = image_files.read(tmp_path / "out.exr")
    front = (images[0].depth <= images[1].depth)[..., None]
    np.testing.assert_array_equal(out.pixels, np.where(front, images[0].pixels, images[1].pixels))
    np.testing.assert_array_equal(out.depth, np.minimum(images[0].depth, images[1].depth))


@pytest.mark.mpi
def test_composite_runs_on_the_ranks_of_the_users_mpiexec(files, tmp_path):
    command = [
        sys.executable,
        "-m",
        "sortlast",
        "composite",
        *map(str, files),
        "-o",
        str(tmp_path / "out.npy"),
    ]
    done = mpirun.run_command(RANKS, command)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("wrote") == 1
    np.testing.assert_allclose(
        np.load(tmp_path / "out.npy"), sortlast.composite_serial(read(files)).colour, atol=3e-6
    )
    done = mpirun.run_command(2, command)
    assert done.returncode == 2
    assert [line for line in done.stderr.splitlines() if line.startswith("sortlast")] == [
        "sortlast: 3 files on 2 ranks; start as many ranks as there are files"
    ]


@pytest.mark.mpi
def test_composite_names_the_files_at_fault(files, tmp_path):
    np.save(files[1], np.zeros((4, 13, 4), np.float32))
    done = composite(*files, "-o", tmp_path / "out.npy")
    assert done.returncode == 2
    assert f"{files[0]} is 13x7, {files[1]} is 13x4, {files[2]} is 13x7" in done.stderr
    files[1].write_bytes(b"junk")
    done = composite(*files, "-o", tmp_path / "out.npy")
    assert done.returncode == 2
    assert re.search(rf"sortlast: rank 1: cannot read {re.escape(str(files[1]))}", done.stderr)
    assert "Traceback" not in done.stderr
    done = composite(*files, "-o", tmp_path / "out.npy", "--op", "closest")
    assert "closest needs depth" in done.stderr
    assert not (tmp_path / "out.npy").exists()


def test_composite_refuses_before_it_starts_ranks(cli, files, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "prefix", os.devnull)  # no mpiexec can be found from here on
    output = tmp_path / "out.npy"
    for args, message in (
        (("--order", "0,1"), "order"),
        (("--algorithm", "nope"), "nope"),
        (("--depth", "z.npy"), "--depth names 1 files for 3 images"),
        (("--background", "1,1"), "R,G,B or R,G,B,A"),
    ):
        status, _, err = cli("composite", *files, "-o", output, *args)
        assert status == 2
        assert message in " ".join(err.replace("│", " ").split())
    status, _, err = cli("composite", *files[:2], "-o", output, "--layer", "diffuse")
    assert status == 2
    assert "--layer diffuse names a layer of exr files" in " ".join(err.replace("│", " ").split())
    assert "known are png" in refused(cli("composite", *files, "-o", tmp_path / "out.jpg"))
    assert "is no folder" in refused(cli("composite", *files, "-o", files[0] / "out.npy"))
    assert "no mpiexec" in refused(cli("composite", *files, "-o", output))


def test_demo_refuses_before_it_starts_ranks(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "prefix", os.devnull)  # no mpiexec can be found from here on
    monkeypatch.chdir(tmp_path)
    for value in ("0", "-1", "nan"):
        status, _, err = cli("demo", "--timeout", value)
        assert status == 2
        assert f"{value} is not above 0" in " ".join(err.replace("│", " ").split())
    (tmp_path / "folder.png").mkdir()
    assert "is a folder" in refused(cli("demo", "--output", "folder.png"))
    assert "cannot write /dev/null/new/a.png: /dev/null is no folder" in refused(
        cli("demo", "--output", "/dev/null/new/a.png")
    )
    assert "is no folder" in refused(cli("demo", "--json", "/dev/null/a.json"))
    assert "is no folder" in refused(cli("demo", "--trace", "/dev/null/a.json"))
    assert [path.name for path in tmp_path.iterdir()] == ["folder.png"]
