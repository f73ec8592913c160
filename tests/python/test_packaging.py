"""The recipes for Spack and conda ask for what pyproject.toml and CMakeLists.txt ask for."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import tomllib
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SPACK = {path.parent.name: path for path in (ROOT / "packaging" / "spack").glob("packages/*/package.py")}
CONDA = ROOT / "packaging" / "conda" / "recipe.yaml"


def least() -> dict[str, str]:
    """The least version of each package that pyproject.toml names one of."""
    tools = PROJECT["tool"]["scikit-build"]
    texts = [*PROJECT["build-system"]["requires"], *PROJECT["project"]["optional-dependencies"]["mpi"]]
    texts += [f"{tool}{tools[tool]['version']}" for tool in ("cmake", "ninja")]
    texts += [f"python{PROJECT['project']['requires-python']}"]
    found = {}
    for text in texts:
        requirement = Requirement(text)
        (bound,) = requirement.specifier
        assert bound.operator == ">="
        found[requirement.name] = bound.version
    return found


def dependencies(recipe: str) -> dict[str, str]:
    """Of a recipe for Spack what it depends on: name -> least version, or ""."""
    calls = [node for node in ast.walk(ast.parse(SPACK[recipe].read_text())) if isinstance(node, ast.Call)]
    named = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "depends_on"]
    texts = [ast.literal_eval(call.args[0]) for call in named]
    return {text.partition("@")[0].removeprefix("py-"): text.partition("@")[2].rstrip(":") for text in texts}


def test_spack_asks_for_the_same_versions_of_what_the_python_package_needs():
    asked = dependencies("py_sortlast")
    assert {name: asked[name] for name in least()} == least()
    extras = PROJECT["project"]["optional-dependencies"]
    for requirement in [*PROJECT["project"]["dependencies"], *extras["cli"], *extras["plot"]]:
        assert requirement in asked


def test_spack_asks_for_the_cmake_of_the_libraries():
    (needed,) = re.findall(r"cmake_minimum_required\(VERSION (\S+)\)", (ROOT / "CMakeLists.txt").read_text())
    assert dependencies("sortlast")["cmake"] == needed == least()["cmake"]


@pytest.mark.parametrize("name", sorted({*least()} - {"python", "ninja"}))
def test_conda_asks_for_the_same_versions(name):
    assert re.findall(rf"^ +- {name} >=(\S+)$", CONDA.read_text(), re.M) == [least()[name]]


def test_conda_has_the_command_of_the_package():
    (command,) = re.findall(r"^ +- (sortlast = .+)$", CONDA.read_text(), re.M)
    name, _, entry = command.partition(" = ")
    assert PROJECT["project"]["scripts"] == {name: entry}
