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

import pages
import sortlast
import sortlast.pyvista
import sortlast.vtk
from sortlast import fabric, simulate

pytestmark = [pytest.mark.references("doxygen"), pytest.mark.site]


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


def test_every_function_of_c_is_documented(site: dict[Path, Page]) -> None:
    headers = "".join((pages.ROOT / "capi" / name).read_text() for name in ("sortlast.h", "sortlast_mpi.h"))
    functions = set(re.findall(r"\b(sortlast_\w+)\(", re.sub(r"//.*", "", headers)))
    assert len(functions) > 40
    assert {f"c.{name}" for name in functions} - every_name(site) == set()
