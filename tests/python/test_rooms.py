"""Rooms use only what the tables of docs/development/rooms.md allow, in C++ and in Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "sortlast"
PUBLIC = ROOT / "include" / "sortlast"
PACKAGE = ROOT / "python" / "sortlast"
STUDIES = ROOT / "studies" / "sortlast_studies"
TESTBED = ROOT / "testbed" / "sortlast_testbed"
PACKAGES = (PACKAGE.name, STUDIES.name, TESTBED.name)


# Rooms whose folder says too little.
ROOM_NAMES = {"src/sortlast/": "root", "include/sortlast/": "include"}


@cache
def table(column: str) -> dict[str, set[str]]:
    """Room -> rooms that it may use, of the table whose first column has that heading."""
    rows: dict[str, set[str]] = {}
    lines = iter((ROOT / "docs" / "development" / "rooms.md").read_text().splitlines())
    for line in lines:
        if line.startswith(f"| {column} |"):
            break
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            break
        room, _, uses = (cell.strip() for cell in line.strip("|").split("|"))
        names = set() if uses == "\N{EN DASH}" else {use.strip(" `") for use in uses.split(",")}
        rows[
            ROOM_NAMES.get(room.split("`")[1], room.split("`")[1].removeprefix("src/sortlast/").strip("/"))
        ] = names
    assert rows
    return rows


def allowed(rows: dict[str, set[str]], room: str) -> set[str]:
    """The room, those that its line names, and theirs."""
    found, new = {room}, {room}
    while new:
        new = {use for one in new for use in rows[one]} - found
        found |= new
    return found


# --- C++ ----------------------------------------------------------------------------------------------


def room_of(path: Path) -> str:
    """The longest room of the table that a file of include/ or src/ lies in; of root files, the root."""
    if path.is_relative_to(PUBLIC):
        return "include"
    folder = path.relative_to(SOURCES).parent.as_posix()
    while folder != "." and folder not in table("C++ room"):
        folder = Path(folder).parent.as_posix()
    return "root" if folder == "." else folder


def included(file: Path) -> list[str]:
    """Paths below sortlast/ that a file includes."""
    return re.findall(r'^\s*#\s*include\s*[<"]sortlast/([^">]+)[">]', file.read_text(), re.MULTILINE)


def find(path: str) -> Path | None:
    return next((base / path for base in (PUBLIC, SOURCES) if (base / path).is_file()), None)


def cpp_files(*folders: Path) -> list[Path]:
    return sorted(
        f for folder in folders for f in folder.rglob("*") if f.suffix in {".hpp", ".cpp", ".h", ".c"}
    )


def test_every_folder_is_in_the_table():
    rooms = {path.relative_to(SOURCES).parts[0] for path in SOURCES.rglob("*") if path.is_dir()}
    assert {room.split("/")[0] for room in table("C++ room")} >= rooms


@pytest.mark.parametrize("room", sorted(table("C++ room")))
def test_cpp_room_uses_only_what_it_may(room):
    files = [file for file in cpp_files(PUBLIC, SOURCES) if room_of(file) == room]
    assert files
    may = allowed(table("C++ room"), room)
    breaches = [
        f"{file.relative_to(ROOT)} includes {path}"
        for file in files
        for path in included(file)
        if (target := find(path)) and room_of(target) not in may
    ]
    assert not breaches


def test_included_files_exist():
    """A path with a typing error would not be counted with any room."""
    missing = [
        f"{file.relative_to(ROOT)} includes {path}"
        for file in cpp_files(PUBLIC, SOURCES)
        for path in included(file)
        if find(path) is None
    ]
    assert not missing


def test_public_headers_include_public_headers_alone():
    breaches = [
        f"{file.relative_to(ROOT)} includes {path}"
        for file in cpp_files(PUBLIC)
        for path in included(file)
        if not (PUBLIC / path).is_file()
    ]
    assert not breaches


def test_icet_uses_the_public_headers_and_what_they_lack():
    allowed_too = SOURCES / "execute" / "mpi" / "compositor_access.hpp"
    files = cpp_files(ROOT / "icet")
    assert any(included(file) for file in files)
    breaches = [
        f"{file.relative_to(ROOT)} includes {path}"
        for file in files
        for path in included(file)
        if not (PUBLIC / path).is_file() and find(path) != allowed_too
    ]
    assert not breaches


def test_only_the_mpi_rooms_include_mpi():
    users = {
        file.relative_to(ROOT).as_posix()
        for file in cpp_files(PUBLIC, SOURCES)
        if re.search(r"#\s*include\s*<mpi\.h>", file.read_text())
    }
    outside = {user for user in users if not user.startswith("src/sortlast/execute/mpi/")}
    assert outside <= {"include/sortlast/compositor.hpp", "include/sortlast/tune.hpp"}


def test_the_library_prints_nothing_and_exits_nowhere():
    forbidden = re.compile(r"\b(printf|std::cout|std::cerr|std::exit|std::abort|abort|exit)\s*(\(|<<)")
    found = [
        f"{file.relative_to(ROOT)}: {match.group(0)}"
        for file in cpp_files(PUBLIC, SOURCES)
        for match in forbidden.finditer(file.read_text())
    ]
    assert not found


# --- Python -------------------------------------------------------------------------------------------


@cache
def modules() -> dict[str, Path]:
    """Python modules of all distributions by their dotted names; of compiled ones the stubs."""
    found = {}
    for package in (PACKAGE, STUDIES, TESTBED):
        for file in [*package.rglob("*.py"), *package.rglob("*.pyi")]:
            name = ".".join(file.relative_to(package.parent).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = file
    return found


def python_room(module: tuple[str, ...]) -> str:
    """Room of a module by the parts of its dotted name; beside the library's __init__: `sortlast`."""
    package, *below = module
    if package != PACKAGE.name:
        return package.removeprefix("sortlast_")
    return below[0] if below and below[0] in table("Python room") else "sortlast"


def nodes_of(tree: ast.AST) -> Iterator[ast.AST]:
    """All of a module but what only type checkers read."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield from nodes_of(child)


def imported(file: Path) -> list[tuple[str, ...]]:
    """Modules of all distributions that a file imports anywhere, as the parts of their names."""
    found: list[tuple[str, ...]] = []
    for node in nodes_of(ast.parse(file.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        found += [parts for name in names if (parts := tuple(name.split(".")))[0] in PACKAGES]
    return found


@pytest.mark.parametrize("room", sorted(table("Python room")))
def test_python_room_uses_only_what_it_may(room):
    files = [
        file
        for name, file in modules().items()
        if file.suffix == ".py" and python_room(tuple(name.split("."))) == room
    ]
    assert files
    may = allowed(table("Python room"), room)
    breaches = {
        f"{file.relative_to(ROOT)} imports {'.'.join(module)}"
        for file in files
        for module in imported(file)
        if python_room(module) not in may
    }
    assert not breaches


@pytest.mark.parametrize("name", [STUDIES.name, TESTBED.name])
def test_the_library_does_not_know_the_studies_and_the_testbed(name):
    """Not in any way, such as by a name in a string; studies are found by their entry point."""
    assert [file for file in PACKAGE.rglob("*.py") if name in file.read_text()] == []


# --- circles ------------------------------------------------------------------------------------------


def circle(graph: dict[str, set[str]]) -> list[str]:
    """What uses itself by way of others, in the order of use; nothing if there is no circle."""
    done: set[str] = set()

    def walk(node: str, way: list[str]) -> list[str]:
        if node in way:
            return [*way[way.index(node) :], node]
        if node in done:
            return []
        found = next((one for use in sorted(graph[node]) if (one := walk(use, [*way, node]))), [])
        done.add(node)
        return found

    return next((found for node in sorted(graph) if (found := walk(node, []))), [])


def test_a_circle_is_found():
    assert circle({"a": {"b"}, "b": {"c", "d"}, "c": set(), "d": {"b"}}) == ["b", "d", "b"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


@pytest.mark.parametrize("column", ["C++ room", "Python room"])
def test_rooms_do_not_use_each_other(column):
    assert circle(table(column)) == []


def uses(name: str, *, for_types: bool) -> set[str]:
    """Modules that one imports, anywhere in it; without those of type checkers unless ``for_types``."""
    tree = ast.parse(modules()[name].read_text())
    found = set()
    for node in ast.walk(tree) if for_types else nodes_of(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            wholes = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {whole if whole in modules() else node.module for whole in wholes}
    return (found & set(modules())) - {name}


def test_python_modules_do_not_import_each_other():
    assert circle({name: uses(name, for_types=False) for name in modules()}) == []


def test_python_modules_do_not_need_each_others_types():
    """A package is left out: it imports its modules, and lends them names for types."""
    packages = {name for name, file in modules().items() if file.name == "__init__.py"}
    assert circle({name: uses(name, for_types=True) - packages for name in modules()}) == []
