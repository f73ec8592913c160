"""The documentation site: it is built without a warning, needs no network, and every link leads somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from typer.core import TyperGroup
from typer.main import get_command

import pages
import sortlast
import sortlast.pyvista
import sortlast.vtk
import sortlast_studies
from sortlast import fabric, simulate
from sortlast.cli._app import app

pytestmark = pytest.mark.references("doxygen")

HEADERS = sorted((pages.ROOT / "include").rglob("*.hpp"))
# What has nothing to be documented: macros for export, and headers that only include others.
EMPTY = {"sortlast/export.hpp", "sortlast/fabric.hpp", "sortlast/simulate.hpp"}


@dataclass
class Page(HTMLParser):
    """What a page of HTML has to do with others: the names in it, where it links to, and what it loads."""

    path: Path
    names: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value for name, value in attrs if value is not None}
        self.names.update(found[name] for name in ("id", "name") if name in found)
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif "src" in found:
            self.loaded.append(found["src"])
        elif tag == "link" and "href" in found:
            self.loaded.append(found["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Page]:
    """The pages of the built site by their paths."""
    folder = tmp_path_factory.mktemp("site").resolve() / "html"
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-j", "2", "docs", str(folder)]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=pages.ROOT, check=False
    )
    assert done.returncode == 0, done.stdout
    return {path: Page(path) for path in folder.rglob("*.html")}


def every_name(site: dict[Path, Page]) -> set[str]:
    return set().union(*(page.names for page in site.values()))


def test_links_lead_to_a_page_and_a_place_in_it(site: dict[Path, Page]) -> None:
    followed = 0
    for page in site.values():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                assert parts.scheme in ("https", "mailto"), f"{page.path.name} links to {link}"
                assert re.fullmatch(r"[\w.-]+\.[a-z]+", parts.netloc), f"{page.path.name} links to {link}"
                continue
            target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
            assert target.is_file(), f"{page.path.name} links to {link}"
            if parts.fragment:
                assert unquote(parts.fragment) in site[target].names, f"{page.path.name} links to {link}"
            followed += 1
    assert followed > 1000


def test_pages_load_nothing_from_elsewhere(site: dict[Path, Page]) -> None:
    for page in site.values():
        for link in page.loaded:
            parts = urlsplit(link)
            assert not parts.netloc, f"{page.path.name} loads {link}"
            assert parts.scheme == "data" or (page.path.parent / parts.path).exists(), link
    (style, *_) = {path.parent for path in site if path.name == "index.html"}
    for path in style.rglob("*.css"):
        for url in re.findall(r"url\(([^)]*)\)", path.read_text()):
            assert url.strip("\"'").startswith(("data:", "../", "#")) or (path.parent / url).exists(), url


def test_every_page_of_docs_is_in_the_site(site: dict[Path, Page]) -> None:
    (index,) = [path for path in site if path.name == "index.html"]
    linked = {(index.parent / unquote(urlsplit(link).path)).resolve() for link in site[index].links}
    for path in (pages.ROOT / "docs").rglob("*.md"):
        place = index.parent / path.relative_to(pages.ROOT / "docs").with_suffix(".html")
        assert place in site
        assert place in linked or place == index, f"no way leads from the front page to {path.name}"


def leaves(group: TyperGroup, path: str) -> list[str]:
    """The full names of all commands that do something."""
    return [
        name
        for key, command in group.commands.items()
        for name in (
            leaves(command, f"{path} {key}") if isinstance(command, TyperGroup) else [f"{path} {key}"]
        )
    ]


def test_every_command_has_its_help(site: dict[Path, Page]) -> None:
    (page,) = [page for path, page in site.items() if path.name == "command-line.html"]
    names = leaves(get_command(app), "sortlast")
    for name in [*names, *(f"sortlast study {name}" for name in (*sortlast_studies.NAMES, "all"))]:
        assert name.replace(" ", "-") in page.names


def test_every_algorithm_has_its_picture(site: dict[Path, Page]) -> None:
    (page,) = [page for path, page in site.items() if path.name == "algorithms.html"]
    drawn = [picture for picture in page.loaded if picture.endswith(".svg")]
    for entry in sortlast.schedule.algorithms():
        assert any(f"sortlast-schedule-{entry.name}" in picture for picture in drawn), entry.name


def test_every_public_name_of_python_is_documented(site: dict[Path, Page]) -> None:
    modules = {
        "fabric": fabric,
        "simulate": simulate,
        "schedule": sortlast.schedule,
        "vtk": sortlast.vtk,
        "pyvista": sortlast.pyvista,
    }
    parts = {"__version__", "fabric", "schedule", "simulate", "trace", "tune"}
    public = {f"sortlast.{name}" for name in sortlast.__all__ if name not in parts}
    public |= {f"sortlast.{module}.{name}" for module, values in modules.items() for name in values.__all__}
    assert public - every_name(site) == set()


def test_every_header_of_cpp_is_documented() -> None:
    shown = "".join(path.read_text() for path in (pages.ROOT / "docs" / "reference" / "cpp").glob("*.md"))
    found = re.findall(r"^## (\S+)\n\n(?:[^`#].*\n\n)?```\{doxygenfile\} (\S+)$", shown, re.MULTILINE)
    assert all(Path(title).name == name for title, name in found)
    public = {path.relative_to(pages.ROOT / "include").as_posix() for path in HEADERS} - EMPTY
    assert {title for title, _ in found} == public


def test_every_function_of_c_is_documented(site: dict[Path, Page]) -> None:
    headers = "".join((pages.ROOT / "capi" / name).read_text() for name in ("sortlast.h", "sortlast_mpi.h"))
    functions = set(re.findall(r"\b(sortlast_\w+)\(", re.sub(r"//.*", "", headers)))
    assert len(functions) > 40
    assert {f"c.{name}" for name in functions} - every_name(site) == set()


def test_everything_of_c_and_cpp_has_a_name(site: dict[Path, Page]) -> None:
    """Doxygen calls what has none @0, @1, ..., and a page lists it at its side."""
    (page,) = [page for path, page in site.items() if path.parts[-2:] == ("reference", "c.html")]
    assert {"c.sortlast_scalar", "c.sortlast_op", "c.sortlast_activity"} <= page.names
    assert [name for name in every_name(site) if "@" in name] == []
    assert [path.name for path in site if re.search(r">@\d+<", path.read_text())] == []
