"""What a command that refuses its arguments looks like."""

from __future__ import annotations


def refused(result):
    """The one line that a refused command prints."""
    status, out, err = result
    assert status == 2
    assert out == ""
    assert err.startswith("sortlast: ")
    assert err.count("\n") == 1
    return err
