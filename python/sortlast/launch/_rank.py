"""Entry point of every rank, for :func:`sortlast.launch.run`: ``python _rank.py MODULE [ARGUMENT ...]``.

Works like ``python -m MODULE``, but does not import modules from the current folder, where a file such as
numpy.py would hide a package; ``python -P`` does the same from Python 3.11 on.
"""

import sys

# This script's folder comes first, unless PYTHONSAFEPATH is set (from Python 3.11 on).
if not getattr(sys.flags, "safe_path", False):
    del sys.path[0]

import os
import runpy

from sortlast.launch.mpiexec import STARTED

if __name__ == "__main__":
    if os.environ.pop(STARTED, None):
        folder = os.environ["TMPDIR"]
        try:
            with open(os.path.join(folder, STARTED), "ab") as file:
                file.write(b"+")
        except OSError as error:
            print(f"sortlast: cannot write to {folder}: {error.strerror}; make room there", file=sys.stderr)
            sys.exit(2)
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
