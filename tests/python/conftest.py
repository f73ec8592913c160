"""Settings of all Python tests."""

import shutil
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

import browser
import commands
import icet_programs
import pool
import references
from sortlast._leftovers import SIGNALS
from sortlast.cli._app import main
from sortlast_testbed import __main__ as testbed

sys.path.insert(0, str(Path(__file__).parents[2] / "bench" / "fabric"))

import simgrid

ROOT = Path(__file__).parents[2]

# The same examples on every run: a failure on one machine is a failure on all.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")

# A shell that starts us in the background makes SIGINT be ignored, here and in all that we start; the tests
# of interrupts need it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_runtest_setup(item):
    """Skip a test whose programs are missing, see references.py."""
    references.check([name for mark in item.iter_markers("references") for name in mark.args])


def pytest_sessionfinish():
    """Let the ranks, the browser and the command line go that waited for the next test."""
    pool.close_all()
    commands.close_all()
    browser.close_all()


@pytest.fixture
def cli(monkeypatch, capsys):
    """Call the command line in this process: ``cli("price", ...)`` gives (status, stdout, stderr)."""
    return caller(main, monkeypatch, capsys)


@pytest.fixture
def testbed_cli(monkeypatch, capsys):
    """The same for ``python -m sortlast_testbed``."""
    return caller(testbed.main, monkeypatch, capsys)


def caller(main, monkeypatch, capsys):
    """A function that calls a command line in this process."""

    def call(*args):
        monkeypatch.setattr(sys, "argv", ["sortlast", *map(str, args)])
        # The command sets signals for the whole process, which is ours here.
        handlers = {number: signal.getsignal(number) for number in SIGNALS}
        try:
            with pytest.raises(SystemExit) as ended:
                main()
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return call


@pytest.fixture(scope="session")
def simgrid_program(tmp_path_factory):
    """simgrid_program(source): the program that is compiled from a source in bench/, made once."""
    kept: dict[str, Path] = {}

    def make(source: str) -> Path:
        references.find("simgrid")
        if source not in kept:
            kept[source] = simgrid.build(tmp_path_factory.mktemp("simgrid"), ROOT / "bench" / source)
        return kept[source]

    return make


@pytest.fixture(scope="session")
def built_icet(tmp_path_factory):
    """built_icet(settings): what icet_programs.build() makes with them, made once."""
    kept: dict[object, icet_programs.Installed] = {}

    def make(**settings: object) -> icet_programs.Installed:
        key = tuple(sorted(settings.items()))
        if key not in kept:
            kept[key] = icet_programs.build(tmp_path_factory.mktemp("built"), **settings)
        return kept[key]

    return make


@pytest.fixture
def icet_surroundings(monkeypatch, tmp_path):
    """No setting of this machine names IceT's libraries, and the links that are kept are this test's."""
    for name in ("LD_LIBRARY_PATH", "LD_PRELOAD", "SORTLAST_ICET_LIBRARIES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def install(built_icet):
    """install(folder, settings): a copy in a folder of what icet_programs.build() makes with them."""

    def make(folder: Path, **settings: object) -> icet_programs.Installed:
        made = built_icet(**settings)
        shutil.copytree(made.ours.parent, folder, symlinks=True, dirs_exist_ok=True)
        return icet_programs.Installed(folder / "paraview", folder / "ours", made.mpi)

    return make
