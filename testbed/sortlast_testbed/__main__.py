"""``python -m sortlast_testbed``."""

from __future__ import annotations

from sortlast import _leftovers
from sortlast.launch import failure, streams
from sortlast_testbed.command import app


def main() -> None:
    """Run the command line. Exit status 0 is success, 2 an error that the message explains."""
    with streams.guarded():
        _leftovers.end_by_signals()
        try:
            app(prog_name="python -m sortlast_testbed")
        except Exception as error:
            failure.end(error)


if __name__ == "__main__":
    main()
