"""The code on the pages runs, but for shell blocks, which tests/docs/blocks.py runs."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer import TyperException
from typer.core import TyperGroup
from typer.main import get_command

import mpirun
import pages
import pool
from sortlast.cli._app import app

IDS = [path.relative_to(pages.ROOT).as_posix() for path in pages.PAGES]
BUILD = pages.ROOT / "build" / "run"  # of ./run setup
SOURCES = ("CMakeLists.txt", "cmake", "include", "src", "capi")


def shell(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a build command with the tools and the MPI of this environment; returns its output."""
    tools = Path(sys.prefix, "bin")
    environ = os.environ | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "MPI_HOME": sys.prefix}
    done = subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=cwd,
        env=environ,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}"
    return done.stdout


# --- pages ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", pages.PAGES, ids=IDS)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", pages.prose(path.read_text())):
        if not target.startswith("https://"):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


@pytest.mark.parametrize("path", pages.PAGES, ids=IDS)
def test_blocks_show_the_files_that_they_name(path: Path) -> None:
    for block in pages.blocks(path.read_text()):
        shown = pages.source(block)
        assert shown is None or block.text == shown.read_text(), f"{path.name} shows an old {shown}"


# --- commands ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def command_line() -> TyperGroup:
    """The command line, which takes longer to make than to call."""
    made = get_command(app)
    assert isinstance(made, TyperGroup)
    return made


@pytest.mark.parametrize("path", pages.PAGES, ids=IDS)
def test_commands_for_reading_have_options_that_exist(path: Path, command_line: TyperGroup) -> None:
    for block in pages.blocks(path.read_text(), "sh"):
        for words in pages.sortlast_words(block):
            command, name = command_line, "sortlast"
            while isinstance(command, TyperGroup) and words and not words[0].startswith("-"):
                name, *words = words
                assert name in command.commands, f"{path.name}: sortlast has no command {name}"
                command = command.commands[name]
            try:
                command.make_context(name, list(words))
            except TyperException as error:
                if "does not exist" not in str(error):  # files need not be here
                    pytest.fail(f"{path.name}: sortlast {name} {' '.join(words)}: {error}")


def test_files_of_a_page_are_used_by_its_commands() -> None:
    for path in pages.PAGES:
        found = pages.blocks(path.read_text())
        called = "".join(block.text for block in found if block.language in ("sh", "console"))
        for block in found:
            name = block.comment("write")
            used = name is None or name.partition("/")[0] in called
            assert used, f"{path.name} writes {name}, which no command uses"


# --- Python -----------------------------------------------------------------------------------------------


@pytest.mark.mpi
@pytest.mark.parametrize(
    "path",
    [path for path in pages.PAGES if path != pages.ERRORS and pages.code(path, "python")],
    ids=lambda path: path.stem,
)
def test_python_blocks_run(path: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    # Nothing that it uses is there but what it imports; a pool's ranks give it a communicator, which goes.
    begin = f"import os; os.chdir({str(tmp_path)!r}); del os; globals().pop('comm', None)\n"
    script.write_text(begin + "".join(pages.code(path, "python")))
    if path == pages.ROOT / "README.md":  # as a program of its own
        done = mpirun.run_command(pages.RANKS, [sys.executable, "-m", "mpi4py", str(script)])
    else:
        done = pool.of(pages.RANKS).run(script, 60.0)
    assert done.returncode == 0, done.stderr


@pytest.mark.mpi
def test_errors_are_raised_on_every_rank_as_written() -> None:
    page = pages.ERRORS.read_text()
    for (python, text), messages in zip(pages.snippets(page), pages.raised(page), strict=True):
        for rank, message in enumerate(messages):
            absent = f"rank {rank} has not arrived" in text.text
            expected = "nothing was raised" if absent else text.text
            assert pages.matches(expected, message), f"rank {rank} of\n{python.text}raises {message}"


def test_messages_in_the_table_of_errors_exist() -> None:
    found = set()
    for path in (pages.ROOT / "python" / "sortlast").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.JoinedStr):
                parts = (part.value if isinstance(part, ast.Constant) else "..." for part in node.values)
                found.add("".join(parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    rows = re.findall(r"^\| (`.*`) \|", pages.ERRORS.read_text(), re.MULTILINE)
    messages = [message for row in rows for message in re.findall(r"`(.+?)`", row) if " " in message]
    assert len(messages) > 5
    for message in messages:
        assert any(pages.matches(message, text) for text in found), f"no message is like {message!r}"


# --- C++ and C --------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prefix into which the libraries that ./run setup builds are installed."""
    assert (BUILD / "CMakeCache.txt").exists(), f"{BUILD} is not there; make it with ./run install"
    prefix = tmp_path_factory.mktemp("prefix")
    shell("cmake", "--install", BUILD, "--prefix", prefix, "--component", "development")
    return prefix


def programs() -> list[tuple[Path, str, int]]:
    """The whole programs of all pages: page, language and number among those of the page."""
    return [
        (path, language, number)
        for path in pages.PAGES
        for language in ("cpp", "c")
        for number, text in enumerate(pages.code(path, language))
        if "int main" in text
    ]


@pytest.mark.mpi
@pytest.mark.builds
@pytest.mark.parametrize(
    ("path", "language", "number"), programs(), ids=lambda value: getattr(value, "stem", str(value))
)
def test_programs_compile_against_the_installed_library_and_run(
    path: Path, language: str, number: int, installed: Path, tmp_path: Path
) -> None:
    shared = pages.ROOT / "docs" / "how-to" / "cpp.md"
    (lists,) = pages.code(path, "cmake") or [
        block.text for block in pages.blocks(shared.read_text(), "cmake")
    ]
    (tmp_path / "CMakeLists.txt").write_text(lists.replace("composite.cpp", f"composite.{language}"))
    (tmp_path / f"composite.{language}").write_text(pages.code(path, language)[number])
    build = tmp_path / "build"
    shell("cmake", "-S", tmp_path, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={installed}")
    shell("cmake", "--build", build)
    done = mpirun.run_command(
        pages.RANKS, [sys.executable, "-c", _IN_FOLDER, str(tmp_path), str(build / "composite")]
    )
    assert done.returncode == 0, done.stdout + done.stderr


_IN_FOLDER = "import os, sys; os.chdir(sys.argv[1]); os.execv(sys.argv[2], sys.argv[2:])"


# --- extending --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.builds
def test_an_algorithm_is_one_file_and_one_line(tmp_path: Path) -> None:
    """The property tests verify and execute the example of the page, and find a mistake in it."""
    for name in SOURCES:
        copy = shutil.copytree if (pages.ROOT / name).is_dir() else shutil.copy
        copy(pages.ROOT / name, tmp_path / name)
    path = pages.ROOT / "docs" / "development" / "extending.md"
    page = path.read_text()
    (place,) = re.findall(r"<!-- new file: (\S+) -->", page)
    (text,) = pages.code(path, "cpp")
    (line,) = re.findall(r"`(ADD\(\w+\))`", page)
    registry = "src/sortlast/schedule/algorithms/registry.cpp"
    listed = (tmp_path / registry).read_text().replace("  ADD(tree)\n", f"  ADD(tree) \\\n  {line}\n")
    assert line in listed
    (tmp_path / registry).write_text(listed)
    build = tmp_path / "build"
    parts = ("-DSORTLAST_BUILD_TESTS=OFF", "-DSORTLAST_BUILD_MPI=OFF")
    (tmp_path / place).write_text(text)
    shell("cmake", "-S", tmp_path, "-B", build, "-G", "Ninja", *parts)
    objects = [f"CMakeFiles/sortlast_part_compositing.dir/{source}.o" for source in (place, registry)]

    def tested(room: str, *options: str) -> subprocess.CompletedProcess[str]:
        """Run the tests of a room, as they are built, with the two sources in the place of the library's."""
        shell("cmake", "--build", build, "--target", *objects)
        program = tmp_path / f"test_{room}"
        output = f" -o tests/{program.name} "
        link = shell("ninja", "-C", BUILD, "-t", "commands", "-s", f"tests/{program.name}")
        assert output in link
        # The linker takes no object from an archive whose names it has.
        first = " ".join(str(build / each) for each in objects)
        shell("sh", "-c", link.replace(output, f" {first} -o {program} "), cwd=BUILD)
        return subprocess.run([program, *options], capture_output=True, text=True, cwd=tmp_path, check=False)

    # As it stands on the page, it passes.
    for room in ("schedule", "execute"):
        done = tested(room)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr

    # With the last rank left out, both fail: they have found it by themselves.
    wrong = text.replace("return all.depth.size()", "return all.depth.size() - 1")
    assert wrong != text
    (tmp_path / place).write_text(wrong)
    for room in ("schedule", "execute"):
        done = tested(room, "--gtest_fail_fast")
        assert done.returncode == 1, done.stdout[-4000:] + done.stderr
        assert "[  FAILED  ]" in done.stdout, done.stdout[-4000:]
