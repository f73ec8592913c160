"""The command ``sortlast``, and ``python -m sortlast`` for launchers that run a module."""

from __future__ import annotations

from sortlast import MissingExtraError, _extras
from sortlast.launch import failure, streams


def main() -> None:
    """Run the command line, if its dependencies are installed."""
    with streams.guarded():
        try:
            for package in ("typer", "rich"):
                _extras.check(package, "the command line")
        except MissingExtraError as error:
            failure.end(error)
        from sortlast.cli import _app

        _app.main()


if __name__ == "__main__":
    main()
