"""What every started rank runs: ``python _rank.py MODULE [ARGUMENT ...]``, for :func:`sortlast.launch.run`.

As ``python -m MODULE``, but modules are not looked for in the current folder, where a file such as numpy.py
would take the place of a package; ``python -P`` does the same from Python 3.11 on.
"""

import sys

# This script's folder comes first, unless Python was told otherwise (PYTHONSAFEPATH, from Python 3.11 on).
if not getattr(sys.flags, "safe_path", False):
    del sys.path[0]

import os
import runpy

from sortlast.launch.mpiexec import STARTED

if __name__ == "__main__":
    if os.environ.pop(STARTED, None):
        with open(os.path.join(os.environ["TMPDIR"], STARTED), "ab") as file:
            file.write(b"+")
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
