"""Print the libraries with IceT's interface that this process has loaded: pvbatch loaded.py."""

from pathlib import Path

import paraview.simple  # noqa: F401

maps = Path("/proc/self/maps").read_text().splitlines()
print(*sorted({line.split()[-1] for line in maps if "IceT" in line or "sortlast_icet" in line}), sep="\n")
