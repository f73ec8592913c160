"""Settings of all Python tests."""

import signal
import sys

import pytest
from hypothesis import settings

import browser
import commands
import pool
import references
from sortlast._leftovers import SIGNALS
from sortlast.cli._app import main

# The same examples on every run: a failure on one machine is a failure on all.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")

# A shell that starts us in the background makes SIGINT be ignored, here and in all that we start; the tests
# of interrupts need it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_runtest_setup(item):
    """Skip a test whose programs are missing, see references.py."""
    for mark in item.iter_markers("references"):
        for name in mark.args:
            references.find(name)


def pytest_sessionfinish():
    """Let the ranks, the browser and the command line go that waited for the next test."""
    pool.close_all()
    commands.close_all()
    browser.close_all()


@pytest.fixture
def cli(monkeypatch, capsys):
    """Call the command line in this process: ``cli("price", ...)`` gives (status, stdout, stderr)."""

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
