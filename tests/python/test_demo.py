"""The demo command, end to end: ranks, pictures, numbers, errors."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

import nibabel
import numpy as np
import pytest
from PIL import Image

import commands
import mpirun
from sortlast import schedule

pytestmark = pytest.mark.mpi

COMMAND = [sys.executable, "-m", "sortlast", "demo"]
PARTS = ("late", "agree", "search", "wait", "blend", "rest")  # of "composite"
SMALL = ["--data", "hydrogen", "--size", "96x64"]


def demo(*arguments: str, folder: Path, timeout: float = 120.0) -> subprocess.CompletedProcess[str]:
    return commands.run("demo", *arguments, folder=folder, timeout=timeout)


@pytest.mark.family
@pytest.mark.parametrize("ranks", [1, 2, 5, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize("mode", ["volume", "surface"])
def test_the_picture_and_the_numbers(ranks, mode, tmp_path):
    done = demo(
        *SMALL, "--ranks", str(ranks), "--mode", mode, "--json", "demo.json", "--frames", "2", folder=tmp_path
    )
    assert done.returncode == 0, done
    numbers = json.loads((tmp_path / "demo.json").read_text())
    assert numbers["settings"]["ranks"] == ranks
    assert numbers["settings"]["mode"] == mode
    assert len(numbers["frames"]) == 2
    assert numbers["serial"]["max_abs_error"] <= (1e-6 * ranks if mode == "volume" else 0)
    assert numbers["one_process"]["max"] < 0.1 / 255 or mode == "surface"
    assert numbers["one_process"]["share_visible"] < 1e-3
    for frame in numbers["frames"]:
        assert frame["frame"] >= frame["render"] > 0
        assert frame["composite"] > 0
        assert frame["agree"] + frame["wait"] + frame["blend"] <= frame["composite"]
        assert min(frame[name] for name in PARTS) >= 0
        assert sum(frame[name] for name in PARTS) == pytest.approx(frame["composite"])
    picture = np.asarray(Image.open(tmp_path / "demo.png"))
    assert picture.shape == (64, 96, 3)
    assert picture[0, 0].max() < 40
    assert picture.max() > 100
    parts = sum(numbers["median"][name] for name in PARTS)
    assert parts == pytest.approx(numbers["median"]["composite"])
    assert done.stdout.endswith("wrote demo.png\nwrote demo-2.png\nwrote demo.json\n")
    for text in (
        "render",
        "composite",
        "gather",
        "after an untimed frame",
        "frames per second",
        "MB",
        f"{ranks} ranks",
    ):
        assert text in done.stdout


@pytest.mark.parametrize(
    ("mode", "ranks"),
    [
        ("boxes", 2),
        ("boxes", 5),
        ("unstructured", 5),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in [("boxes", 1), ("boxes", 4), *(("unstructured", p) for p in (1, 2, 4))]
        ),
    ],
)
def test_parts_in_no_order_make_the_picture_of_one_process(mode, ranks, tmp_path):
    done = demo(*SMALL, "--ranks", str(ranks), "--mode", mode, "--json", "demo.json", folder=tmp_path)
    assert done.returncode == 0, done
    numbers = json.loads((tmp_path / "demo.json").read_text())
    assert numbers["settings"]["mode"] == mode
    assert numbers["serial"]["max_abs_error"] <= numbers["serial"]["bound"] < 1e-4
    assert numbers["one_process"]["max"] < 0.1 / 255
    picture = np.asarray(Image.open(tmp_path / "demo.png"))
    assert picture[0, 0].max() < 40
    assert picture.max() > 100


def test_all_rank_counts_give_the_same_picture(tmp_path):
    pictures = []
    for ranks in ("1", "3", "7"):
        assert demo(*SMALL, "--ranks", ranks, folder=tmp_path).returncode == 0
        pictures.append(np.asarray(Image.open(tmp_path / "demo.png")).astype(int))
    assert max(np.abs(picture - pictures[0]).max() for picture in pictures) <= 1


def test_every_frame_keeps_its_picture(tmp_path):
    done = demo(*SMALL, "--ranks", "2", "--frames", "3", folder=tmp_path)
    assert done.returncode == 0, done
    assert "wrote demo.png\nwrote demo-2.png to demo-3.png\n" in done.stdout
    pictures = [np.asarray(Image.open(tmp_path / f"demo{k}.png")) for k in ("", "-2", "-3")]
    assert not any((a == b).all() for a, b in itertools.combinations(pictures, 2))


def test_the_first_component_of_the_data_is_shown(tmp_path):
    x, y, z = np.ogrid[-1:1:18j, -1:1:20j, -1:1:22j]
    ball = np.clip(300 - 400 * np.sqrt(x * x + y * y + z * z), 0, 200)
    voxels = np.stack([ball, np.flip(ball) ** 2], axis=-1)[..., np.newaxis, :].astype(np.float32)
    nibabel.save(nibabel.Nifti1Image(voxels, np.eye(4)), tmp_path / "a.nii")
    arguments = ["--data", "a.nii", "--size", "32x32", "--ranks", "2"]
    done = demo(*arguments, folder=tmp_path)
    assert done.returncode == 0, done
    assert "a.nii: component 0 of 2 is shown; sortlast view --component chooses another\n" in done.stdout
    done = demo(*arguments, "--memory", "64K", folder=tmp_path)
    assert done.returncode == 2, done
    assert "a.nii: 18x20x22 voxels need" in done.stderr


@pytest.mark.parametrize("algorithm", ["radix-k:2,2", "shift"])
def test_the_algorithm_is_the_one_asked_for(algorithm, tmp_path):
    done = demo(*SMALL, "--ranks", "4", "--algorithm", algorithm, "--json", "demo.json", folder=tmp_path)
    assert done.returncode == 0, done
    assert json.loads((tmp_path / "demo.json").read_text())["settings"]["algorithm"] == algorithm


@pytest.mark.slow
@pytest.mark.parametrize(("number", "algorithm"), [*enumerate(each.name for each in schedule.algorithms())])
def test_every_algorithm_agrees_with_the_serial_composite(number, algorithm, tmp_path):
    """In every mode, each at another number of ranks, and the next algorithm at others."""
    counts = [1, 2, 3, 5, 8, 12, 16]
    for k, mode in enumerate(("volume", "surface", "boxes", "unstructured")):
        ranks = counts[(number + 2 * k) % len(counts)]
        arguments = ["--ranks", str(ranks), "--algorithm", algorithm, "--mode", mode]
        done = demo(*SMALL, *arguments, folder=tmp_path)
        assert done.returncode == 0, done


@pytest.mark.family
def test_under_a_users_own_mpiexec_all_its_ranks_take_part(tmp_path):
    arguments = [*SMALL, "--output", str(tmp_path / "own.png"), "--json", str(tmp_path / "own.json")]
    done = mpirun.run_command(3, [*COMMAND, *arguments])
    assert done.returncode == 0, done
    assert json.loads((tmp_path / "own.json").read_text())["settings"]["ranks"] == 3
    assert (tmp_path / "own.png").exists()


def test_another_number_of_ranks_than_mpiexec_started_is_an_error(tmp_path):
    done = mpirun.run_command(2, [*COMMAND, *SMALL, "--ranks", "3", "--output", str(tmp_path / "own.png")])
    assert done.returncode == 2, done
    assert "--ranks 3, but mpiexec started 2" in done.stderr


def test_a_trace_holds_every_rank(tmp_path):
    done = demo(*SMALL, "--ranks", "3", "--trace", "trace.json", folder=tmp_path)
    assert done.returncode == 0, done
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert {event["pid"] for event in events} == {0, 1, 2}
    assert Image.open(tmp_path / "trace.png").size[0] > 100
    assert done.stdout.endswith("wrote demo.png\nwrote trace.json\nwrote trace.png\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--data", "nothing-here"], "expected a name"),
        (["--data", "hydrogen", "--algorithm", "quick-sort"], "quick-sort"),
        (["--data", "hydrogen", "--size", "64"], "not WIDTHxHEIGHT"),
        (["--data", "hydrogen", "--size", "0x64"], "no pixels"),
        (["--data", "hydrogen", "--size", "64x64", "--output", "demo.jpg"], "does not end in .png"),
        (["--data", "hydrogen", "--size", "64x64", "--trace", "trace.txt"], "does not end in .json"),
        (["--data", "hydrogen", "--size", "64x64", "--output", "/dev/null/demo.png"], "cannot write"),
    ],
)
def test_wrong_arguments_end_with_a_message_and_status_2(arguments, message, tmp_path):
    done = demo("--ranks", "2", *arguments, folder=tmp_path)
    assert done.returncode == 2, done
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "demo.png").exists()


def test_too_many_ranks_for_the_data_is_an_error(tmp_path):
    (tmp_path / "tiny.raw").write_bytes(bytes(range(27)))
    tiny = ["--data", "tiny.raw:3x3x3:uint8", "--size", "8x8"]
    done = demo(*tiny, "--ranks", "9", folder=tmp_path)
    assert done.returncode == 2, done
    assert "cannot split" in done.stderr
    (tmp_path / "tiny.raw").write_bytes(bytes(range(8)))
    tiny = ["--data", "tiny.raw:2x2x2:uint8", "--size", "8x8"]
    done = demo(*tiny, "--ranks", "9", "--mode", "unstructured", folder=tmp_path)
    assert done.returncode == 2, done
    assert "cannot divide 5 tetrahedra among 9 ranks" in done.stderr


def test_ranks_without_a_box_take_part(tmp_path):
    (tmp_path / "tiny.raw").write_bytes(bytes(range(27)))
    arguments = ["--data", "tiny.raw:3x3x3:uint8", "--size", "16x16", "--mode", "boxes"]
    done = demo(*arguments, "--ranks", "3", folder=tmp_path)
    assert done.returncode == 0, done
