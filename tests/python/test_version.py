"""One version, in the C++ header; packaging/version.py writes it into the other files."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import tomllib

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "packaging" / "version.py"


def text(path: str) -> str:
    return (ROOT / path).read_text()


def macros(path: str) -> dict[str, str]:
    return dict(re.findall(r"#define SORTLAST_VERSION(\w*) \"?([\d.]+)\"?\n", text(path)))


HEADER = macros("include/sortlast/version.hpp")


def test_the_macros_agree():
    numbers = [HEADER[part] for part in ("_MAJOR", "_MINOR", "_PATCH")]
    assert HEADER[""] == ".".join(numbers)
    assert macros("capi/sortlast.h") == HEADER


def test_every_other_file_has_it():
    script = runpy.run_path(str(SCRIPT))
    for path, content in script["contents"](ROOT).items():
        assert content == text(path), f"{path}: run python packaging/version.py"


def test_a_new_version_is_written_everywhere(tmp_path):
    script = runpy.run_path(str(SCRIPT))
    old = HEADER[""]
    for path in (script["HEADER"], *script["PLACES"], *script["MACROS"]):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    header = tmp_path / script["HEADER"]
    header.write_text(header.read_text().replace(f'"{old}"', '"17.18.19"').replace("_MINOR 1", "_MINOR 18"))
    subprocess.run([sys.executable, SCRIPT, tmp_path], check=True)
    for path in (*script["PLACES"], *script["MACROS"]):
        after = (tmp_path / path).read_text()
        assert "17.18.19" in after
        assert after.count("17.18.19") == text(path).count(old), path
    assert "_MINOR 18" in (tmp_path / "capi/sortlast.h").read_text()


def test_the_changelog_begins_with_it():
    newest = re.search(r"^## \[([\d.]+)\]", text("CHANGELOG.md"), re.M)
    assert newest[1] == HEADER[""]


def test_cmake_reads_it_from_the_header(tmp_path):
    """What CMakeLists.txt does before it names the project."""
    before, _, project = text("CMakeLists.txt").partition("project(")
    assert "VERSION ${version}" in project.partition(")")[0]
    script = tmp_path / "version.cmake"
    script.write_text(f"{before}message(STATUS ${{version}})\n")
    done = subprocess.run(["cmake", "-P", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == f"-- {HEADER['']}\n"


def test_the_package_reads_it_from_the_header():
    (metadata,) = tomllib.loads(text("pyproject.toml"))["tool"]["dynamic-metadata"]
    found = re.search(metadata["regex"], text(metadata["input"]))
    assert found["value"] == HEADER[""]
    assert found["value"] == version("sortlast")
