"""Time ParaView with IceT and with sortlast in its place, by turns.

    python bench/icet/paraview.py LIBRARIES [--ranks 2,4,8] [--size 1920x1080] [--frames 12] [--json FILE]

LIBRARIES is the folder of the libraries with IceT's interface (as of ``sortlast icet --library``), built for
the MPI of the installed ParaView. Needs pvbatch, Xvfb and mpicc of that MPI. For each number of ranks, size
and scene (an opaque surface, a volume) both run twice by turns; a row has the medians of a frame's seconds in
compositing alone (stopwatch.c) and of the whole frame. The first three frames of a run are not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
TURNS = 2
UNCOUNTED = 3
SETTINGS = {  # more ranks than cores, as root in a container, on the system's Open MPI
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "LP_NUM_THREADS": "1",
}


def compile_stopwatch(folder: Path) -> Path:
    """The stopwatch, built with the mpicc that is on the PATH."""
    library = folder / "stopwatch.so"
    include = HERE.parents[1] / "icet" / "include"
    command = ["mpicc", "-O2", "-shared", "-fPIC", f"-I{include}", str(HERE / "stopwatch.c"), "-ldl"]
    subprocess.run([*command, "-o", str(library)], check=True)
    return library


def run(libraries: str | None, ranks: int, arguments: list[str], stopwatch: Path) -> tuple[list, list]:
    """Seconds of compositing and of whole frames; of IceT's own libraries for None."""
    job = ["mpiexec.openmpi", "-n", str(ranks), "-x", f"LD_PRELOAD={stopwatch}"]
    if libraries is not None:
        job += ["-x", f"LD_LIBRARY_PATH={libraries}"]
    environment = {**SETTINGS, "PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/")}
    done = subprocess.run(
        [
            "xvfb-run",
            "-a",
            "-s",
            "-screen 0 4096x2304x24",
            *job,
            "pvbatch",
            str(HERE / "orbit.py"),
            *arguments,
        ],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(done.stderr)
    seconds = {
        word: [float(line.split()[1]) for line in text.splitlines() if line.startswith(word + " ")]
        for word, text in (("stopwatch", done.stderr), ("frame", done.stdout))
    }
    frames = len(seconds["frame"])
    return seconds["stopwatch"][-frames:][UNCOUNTED:], seconds["frame"][UNCOUNTED:]


def main() -> None:
    """Run all, and print a line a cell."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libraries")
    parser.add_argument("--ranks", default="2,4,8")
    parser.add_argument("--size", default="1920x1080,3840x2160")
    parser.add_argument("--frames", type=int, default=12)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    rows = []
    print("scene    ranks      size   IceT  sortlast  ratio   whole frame: IceT  sortlast  [ms]")
    with tempfile.TemporaryDirectory() as folder:
        stopwatch = compile_stopwatch(Path(folder))
        for scene in ("surface", "volume"):
            for ranks in (int(number) for number in asked.ranks.split(",")):
                for size in asked.size.split(","):
                    times = {"icet": ([], []), "sortlast": ([], [])}
                    for _ in range(TURNS):
                        for name, libraries in (("icet", None), ("sortlast", asked.libraries)):
                            arguments = [scene, *size.split("x"), str(asked.frames)]
                            for kept, new in zip(
                                times[name], run(libraries, ranks, arguments, stopwatch), strict=True
                            ):
                                kept.extend(new)
                    medians = {
                        name: [1e3 * statistics.median(each) for each in both] for name, both in times.items()
                    }
                    (icet, icet_frame), (ours, our_frame) = medians["icet"], medians["sortlast"]
                    print(
                        f"{scene:8} {ranks:5} {size:>9} {icet:6.1f} {ours:9.1f} {icet / ours:6.2f}"
                        f" {icet_frame:19.1f} {our_frame:9.1f}",
                        flush=True,
                    )
                    rows.append({"scene": scene, "ranks": ranks, "size": size, "milliseconds": medians})
    if asked.json:
        asked.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
