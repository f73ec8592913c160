"""``python -m sortlast``: the command line, for launchers that take a module."""

from sortlast.cli import main

if __name__ == "__main__":
    main()
