"""No include breaks the order of the rooms: a room uses only those that it may."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "sortlast"

# What each room may use, beside itself. Root files (error, timing) know no room.
MAY_USE = {
    "": set(),
    "schedule": {""},
    "image": {""},
    "execute": {"", "schedule", "image"},
    "fabric": {"", "schedule"},
    "simulate": {"", "schedule", "fabric"},
}

ROOMS = {path.name for path in SOURCES.iterdir() if path.is_dir()}


def room_of(path: str) -> str:
    """Room of a path below src/sortlast; root files are in the room ""."""
    return path.split("/")[0] if "/" in path else ""


def includes(file: Path) -> list[str]:
    """Paths below sortlast/ that a file includes."""
    return re.findall(r'^\s*#\s*include\s*[<"]sortlast/([^">]+)[">]', file.read_text(), re.MULTILINE)


def sources(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.suffix in {".hpp", ".cpp", ".h", ".c"})


def test_every_room_has_a_rule():
    assert MAY_USE.keys() >= ROOMS


@pytest.mark.parametrize("room", ["", *sorted(ROOMS)])
def test_room_uses_only_what_it_may(room):
    files = sources(SOURCES / room) if room else [f for f in SOURCES.iterdir() if f.suffix == ".hpp"]
    assert files
    breaches = [
        f"{file.relative_to(ROOT)} includes {path}"
        for file in files
        for path in includes(file)
        if room_of(path) not in MAY_USE[room] | {room}
    ]
    assert not breaches


def test_included_files_exist():
    """A path with a typing error would not be counted with any room."""
    missing = [
        f"{file.relative_to(ROOT)} includes {path}"
        for file in sources(SOURCES)
        for path in includes(file)
        if not (SOURCES / path).is_file()
    ]
    assert not missing


def test_only_the_mpi_executor_includes_mpi():
    users = {
        file.relative_to(SOURCES).parent.as_posix()
        for file in sources(SOURCES)
        if re.search(r"#\s*include\s*<mpi\.h>", file.read_text())
    }
    assert users == {"execute/mpi"}


def test_the_library_prints_nothing_and_exits_nowhere():
    forbidden = re.compile(r"\b(printf|std::cout|std::cerr|std::exit|std::abort|abort|exit)\s*(\(|<<)")
    found = [
        f"{file.relative_to(ROOT)}: {match.group(0)}"
        for file in sources(SOURCES)
        for match in forbidden.finditer(file.read_text())
    ]
    assert not found
