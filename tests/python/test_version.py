"""One version: of the C++ and C headers, CMake, both Python packages, CITATION.cff and conda's recipe."""

from __future__ import annotations

import re
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest
import tomllib

ROOT = Path(__file__).parents[2]
HEADERS = ("include/sortlast/version.hpp", "capi/sortlast.h")


def text(path: str) -> str:
    return (ROOT / path).read_text()


def macros(path: str) -> dict[str, str]:
    return dict(re.findall(r"#define SORTLAST_VERSION(\w*) \"?([\d.]+)\"?\n", text(path)))


@pytest.mark.parametrize("path", HEADERS)
def test_the_macros_of_a_header_agree(path):
    found = macros(path)
    numbers = [found[part] for part in ("_MAJOR", "_MINOR", "_PATCH")]
    assert found[""] == ".".join(numbers)


def test_the_headers_of_c_have_the_version_of_those_of_cpp():
    first, second = (macros(path) for path in HEADERS)
    assert first == second


def test_the_citation_has_it():
    (found,) = re.findall(r"^version: (.+)$", text("CITATION.cff"), re.M)
    assert found == macros(HEADERS[0])[""]


def test_the_recipe_for_conda_has_it():
    (found,) = re.findall(r'^  version: "(.+)"$', text("packaging/conda/recipe.yaml"), re.M)
    assert found == macros(HEADERS[0])[""]


def test_the_changelog_begins_with_it():
    newest = re.search(r"^## \[([\d.]+)\]", text("CHANGELOG.md"), re.M)
    assert newest[1] == macros(HEADERS[0])[""]


def test_cmake_reads_it_from_the_header(tmp_path):
    """What CMakeLists.txt does before it names the project."""
    before, _, project = text("CMakeLists.txt").partition("project(")
    assert "VERSION ${version}" in project.partition(")")[0]
    script = tmp_path / "version.cmake"
    script.write_text(f"{before}message(STATUS ${{version}})\n")
    done = subprocess.run(["cmake", "-P", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == f"-- {macros(HEADERS[0])['']}\n"


def test_the_studies_have_it():
    """And they require it, as they use parts of the library that are not public."""
    project = tomllib.loads(text("studies/pyproject.toml"))["project"]
    assert project["version"] == macros(HEADERS[0])[""]
    (required,) = [text for text in project["dependencies"] if text.startswith("sortlast")]
    assert required.endswith(f"=={project['version']}")


def test_the_package_reads_it_from_the_header():
    (metadata,) = tomllib.loads(text("pyproject.toml"))["tool"]["dynamic-metadata"]
    found = re.search(metadata["regex"], text(metadata["input"]))
    assert found["value"] == macros(HEADERS[0])[""]
    assert found["value"] == version("sortlast")
