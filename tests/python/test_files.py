"""Files appear whole or not at all; what is no regular file stays what it is, and is written to."""

from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
import sys
import threading

import numpy as np
import pytest
from PIL import Image

import commands
from sortlast import Error, image_files
from sortlast.files import check_place, make_folder, replacing

PRICE = [sys.executable, "-m", "sortlast", "price", "--p", "4", "--json"]


def write(path, text="new"):
    with replacing(path) as temporary:
        temporary.write_text(text)


def command(*arguments, folder):
    return commands.run(*arguments, folder=folder, text=False)


# --- regular files ----------------------------------------------------------------------------------------


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    (tmp_path / "a").write_text("old")
    with pytest.raises(ZeroDivisionError), replacing(tmp_path / "a") as temporary:  # noqa: PT012
        temporary.write_text("half")
        raise ZeroDivisionError
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "old")]


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_the_mode_stays(tmp_path, mode):
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(mode)
    write(path)
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_file_has_the_mode_that_the_user_wants(tmp_path):
    previous = os.umask(0o027)
    try:
        write(tmp_path / "a")
    finally:
        os.umask(previous)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() != 0, reason="another owner needs root")
def test_the_owner_stays(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")
    os.chown(path, 1234, 4321)
    write(path)
    assert (path.stat().st_uid, path.stat().st_gid, path.read_text()) == (1234, 4321, "new")


@pytest.mark.parametrize("there", [True, False])
def test_a_symbolic_link_stays_and_its_target_is_written(tmp_path, there):
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    if there:
        target.write_text("old")
    link.symlink_to("folder/target")
    write(link)
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert list((tmp_path / "folder").iterdir()) == [target]


def test_links_that_lead_nowhere_are_refused(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    for attempt in (write, check_place):
        with pytest.raises(Error, match=r"cannot write .*a: Too many levels of symbolic links"):
            attempt(tmp_path / "a")


def test_a_missing_folder_is_named_and_not_made(tmp_path):
    for attempt in (write, check_place):
        with pytest.raises(Error, match=rf"there is no folder {tmp_path}/no; make it, or name another place"):
            attempt(tmp_path / "no" / "a")
    assert list(tmp_path.iterdir()) == []
    with replacing(tmp_path / "steps" / "ring" / "a", folders=True) as temporary:
        temporary.write_text("made")
    assert (tmp_path / "steps" / "ring" / "a").read_text() == "made"


def test_a_folder_is_made_but_not_those_above_it(tmp_path):
    make_folder(tmp_path / "out")
    make_folder(tmp_path / "out")
    with pytest.raises(Error, match=rf"there is no {tmp_path}/no"):
        make_folder(tmp_path / "no" / "out")
    (tmp_path / "file").touch()
    with pytest.raises(Error, match="File exists"):
        make_folder(tmp_path / "file")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "out"]


# --- what is no regular file ------------------------------------------------------------------------------


def test_a_pipe_stays_a_pipe_and_gets_the_contents(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()), daemon=True)
    reader.start()
    check_place(pipe)
    write(pipe)
    reader.join(10)
    assert got == ["new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.skipif(os.geteuid() != 0, reason="a device of one's own needs root")
def test_a_device_stays_a_device(tmp_path):
    device = tmp_path / "null"
    try:
        os.mknod(device, stat.S_IFCHR | 0o600, os.makedev(1, 3))
        device.write_text("")
    except PermissionError:
        pytest.skip("this machine makes no devices")
    write(device)
    assert stat.S_ISCHR(device.stat().st_mode)
    assert stat.S_IMODE(device.stat().st_mode) == 0o600


def test_dev_null_stays_a_device():
    before = os.stat("/dev/null")
    write("/dev/null")
    after = os.stat("/dev/null")
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)


@pytest.mark.parametrize(
    "name", ["-", "/dev/stdout", "/dev/fd/1", pytest.param("/proc/self/fd/1", marks=pytest.mark.slow)]
)
def test_standard_output_holds_the_file_alone_whatever_it_is(tmp_path, name):
    """A pipe, and a file, of which another name than /dev/stdout would keep an old version."""
    command = [*PRICE, name]
    piped = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, timeout=100)
    with (tmp_path / "out").open("wb") as out:
        subprocess.run(command, cwd=tmp_path, stdout=out, stderr=subprocess.DEVNULL, check=True, timeout=100)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    if name == "-":
        assert "rows" in json.loads(piped.stdout)
        assert "p = 4" in piped.stderr.decode()
        assert (tmp_path / "out").read_bytes() == piped.stdout
    else:
        assert '"rows": [' in piped.stdout.decode()
        assert "p = 4" in (tmp_path / "out").read_text()
        assert '"rows": [' in (tmp_path / "out").read_text()


def test_pictures_go_through_a_pipe_too(tmp_path):
    pixels = np.random.default_rng(1).random((3, 5, 3), np.float32)
    for name in ("a.npy", "b.npy"):
        image_files.write(tmp_path / name, image_files.Image(pixels))
    done = command("composite", "a.npy", "b.npy", "--op", "max", "-o", "-", folder=tmp_path)
    assert done.returncode == 0, done
    (tmp_path / "c.png").write_bytes(done.stdout)
    assert Image.open(tmp_path / "c.png").size == (5, 3)
    assert "wrote -: 2 images of 5x3" in done.stderr.decode()


def test_of_several_frames_standard_output_gets_the_first_alone(tmp_path):
    arguments = ["demo", "--data", "hydrogen", "--size", "32x32", "--ranks", "2", "--frames", "3"]
    done = command(*arguments, "--output", "-", folder=tmp_path)
    assert done.returncode == 0, done
    assert list(tmp_path.iterdir()) == []
    assert command(*arguments, folder=tmp_path).returncode == 0
    assert done.stdout == (tmp_path / "demo.png").read_bytes()
    assert done.stdout != (tmp_path / "demo-2.png").read_bytes()


def test_the_places_of_all_frames_are_looked_at_before_the_work(tmp_path, cli, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo-2.png").mkdir()
    status, _, errors = cli("demo", "--data", "hydrogen", "--frames", "2")
    assert status == 2
    assert "cannot write demo-2.png: it is a folder; name a file" in errors
    assert [path.name for path in tmp_path.iterdir()] == ["demo-2.png"]


def test_a_drawing_goes_to_standard_output_as_png(tmp_path):
    done = command("schedule", "shift", "--p", "4", "--draw", "-", folder=tmp_path)
    assert done.returncode == 0, done
    assert done.stdout.startswith(b"\x89PNG")


def test_a_terminal_gets_text_and_no_picture(tmp_path):
    ours, theirs = pty.openpty()
    arguments = ["schedule", "shift", "--p", "2", "--n", "8"]
    for wanted, status in (("--json", 0), ("--draw", 2)):
        done = subprocess.run(
            [sys.executable, "-m", "sortlast", *arguments, wanted, "-"],
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=100,
            cwd=tmp_path,
        )
        assert done.returncode == status, done
    assert "it is a terminal, and what is written is not text; name a file" in done.stderr
    shown = os.read(ours, 1 << 16)
    assert b'"p"' in shown
    assert b"PNG" not in shown
    os.close(ours)
    os.close(theirs)
    assert list(tmp_path.iterdir()) == []


def test_two_files_cannot_share_standard_output(cli):
    status, _, errors = cli("schedule", "shift", "--p", "2", "--json", "-", "--draw", "-")
    assert status == 2
    assert "two files cannot both go to standard output" in errors


@pytest.mark.parametrize(
    "arguments",
    [
        ["composite", "a.npy", "b.npy", "-o", "no/c.png"],
        ["demo", "--data", "hydrogen", "--output", "no/demo.png"],
        ["demo", "--data", "hydrogen", "--json", "no/demo.json"],
        ["price", "--p", "4", "--json", "no/price.json"],
        ["price", "--p", "4", "--output-dir", "no/prices"],
        ["schedule", "shift", "--p", "4", "--draw", "no/shift.png"],
        ["schedule", "shift", "--p", "4", "--json", "no/shift.json"],
        ["tune", "--output", "no/profile.json"],
        ["bandwidth", "--matrix", "no/matrix"],
        ["bench", "composite", "--json", "no/bench.json"],
        ["fabric", "build", "--net", "crossbar:4", "--output", "no/net"],
        ["fabric", "check", "--net", "crossbar:4", "--json", "no/check.json"],
        ["fabric", "draw", "--net", "crossbar:4", "--output", "no/page.html"],
        ["study", "narrowed-trees", "--quick", "--output", "no/study"],
    ],
    ids=lambda arguments: " ".join(arguments[:-1]),
)
def test_every_command_names_the_missing_folder_before_it_works(arguments, cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.npy", "b.npy"):
        np.save(name, np.zeros((2, 2, 4), np.float32))
    status, out, errors = cli(*arguments)
    assert status == 2, (out, errors)
    assert f"there is no folder {tmp_path}/no;" in errors or "there is no no;" in errors
    assert not (tmp_path / "no").exists()
