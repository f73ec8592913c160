"""The command that serves a page, where it cannot."""

from __future__ import annotations

import socket

import pytest

import commands
import viewing


@pytest.mark.mpi
def test_a_port_that_is_taken_is_an_error(tmp_path):
    data = viewing.write_data(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = commands.run("view", data, "--ranks", "2", "--port", port)
    assert done.returncode == 2, done
    assert f"cannot serve at 127.0.0.1, port {port}: " in done.stderr
    assert "choose another --port" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing-here"], "expected a name"),
        (["hydrogen", "--timeout", "0"], "0 is not above 0"),
        (["hydrogen", "--host", "256.0.0.1"], "cannot serve at 256.0.0.1"),
        (["hydrogen", "--mode", "unstructured"], "'unstructured' is not one of"),
    ],
)
def test_wrong_arguments_end_with_a_message_and_status_2(arguments, message):
    done = commands.run("view", "--ranks", "2", *arguments)
    assert done.returncode == 2, done
    assert message in done.stderr
    assert "Traceback" not in done.stderr
