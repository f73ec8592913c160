"""Time ParaView's own frames with IceT and with sortlast in its place, alternating.

    python bench/icet/paraview_frames.py LIBRARIES [--paraview FOLDER] [--ranks 2,4,8] [--json FILE]

LIBRARIES is the folder of the libraries with IceT's interface, as printed by ``sortlast icet --library``.
Needs a ParaView with pvbatch, the mpiexec of its MPI (Open MPI's on one machine), Xvfb, and cc.

A scene (orbit.py: opaque surfaces, a volume; the camera moves) is first drawn with both, and the pictures
are compared: surfaces must be identical, volumes must agree within one unit of 255 per rank, because IceT
truncates bytes that sortlast rounds. Then both draw alternately; each turn is a separate job, because a
process can load only one of the two. A row has, in milliseconds, the median and the quartiles over all turns
of

frame        ``Render()`` in the script on rank 0: drawing, compositing, and everything else ParaView does
compositing  the part from the end of the last rank's drawing to the picture on rank 0 (stopwatch.c)

with the ratios IceT / sortlast of the medians, turn by turn: their median and range. The load average at the
beginning of every turn is in the JSON, and its minimum and maximum in the table. The JSON is rewritten after
every turn.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from sortlast import provenance

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "paraview"))

import displays  # noqa: E402

PEERS = ("icet", "sortlast")
MEASURES = ("frame", "compositing")
UNCOUNTED = 2  # per turn and cell
# For ranks on one machine, as root in a container, with more ranks than cores, on Open MPI.
SETTINGS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "LP_NUM_THREADS": "1",
}


class Job:
    """The settings for running orbit.py on some ranks."""

    def __init__(self, asked: argparse.Namespace, folder: Path, display: str) -> None:
        self.libraries, self.limit, self.folder = asked.libraries, asked.limit, folder
        self.environment = {**os.environ, **SETTINGS, "DISPLAY": display}
        self.cells = [(scene, size) for scene in asked.scenes.split(",") for size in asked.sizes.split(",")]
        self.pvbatch = asked.paraview / "pvbatch" if asked.paraview else shutil.which("pvbatch")
        if self.pvbatch is None or not Path(self.pvbatch).exists():
            sys.exit(
                "paraview_frames.py: no ParaView: pvbatch is not on the PATH, nor in the folder of --paraview"
            )
        self.mpiexec = shutil.which(asked.mpiexec)
        if self.mpiexec is None:
            sys.exit(f"paraview_frames.py: {asked.mpiexec} is not on the PATH; name that of ParaView's MPI")
        asks_version = [str(self.pvbatch), "--version"]
        self.version = subprocess.run(asks_version, capture_output=True, text=True, check=True).stdout.strip()
        self.stopwatch = folder / "stopwatch.so"
        include = f"-I{HERE.parents[1] / 'icet' / 'include'}"
        compile_it = ["cc", "-O2", "-shared", "-fPIC", include, str(HERE / "stopwatch.c"), "-ldl"]
        subprocess.run([*compile_it, "-o", str(self.stopwatch)], check=True)

    def run(self, peer: str, ranks: int, frames: int, pictures: Path | None = None) -> dict:
        """Seconds of every frame, by cell and measure."""
        with tempfile.TemporaryDirectory(dir=self.folder) as times:
            job = [self.mpiexec, "-n", str(ranks), "-x", f"LD_PRELOAD={self.stopwatch}"]
            job += ["-x", f"STOPWATCH={times}", str(self.pvbatch), str(HERE / "orbit.py")]
            job += [str(frames), str(UNCOUNTED), str(pictures or "-")]
            job += [word for cell in self.cells for word in cell]
            job = ["env", "-u", "PYTHONPATH", *job]
            if peer == "sortlast":
                icet = ["icet", "--for", "paraview", "--program", str(self.pvbatch)]
                job = [sys.executable, "-m", "sortlast", *icet, "--library", str(self.libraries), "--", *job]
            lines = limited(job, self.environment, self.limit).splitlines()
            told = [json.loads(line) for line in lines if line.startswith("{")]
            assert [(row["scene"], row["size"]) for row in told] == self.cells, lines
            composited = compositing(Path(times), ranks)
        found = {}
        for cell, row in zip(self.cells, told, strict=True):
            found[cell] = {
                "frame": [end - begin for begin, end in row["times"]],
                "compositing": [
                    sum(seconds for when, seconds in composited if begin < when < end)
                    for begin, end in row["times"]
                ],
            }
        return found


def limited(command: list[str], environment: dict[str, str], limit: float) -> str:
    """Output of a command; it and all its children are killed after `limit` seconds."""
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            told, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            end_session(process.pid)
            told, errors = process.communicate()
            sys.exit(
                f"paraview_frames.py: after {limit:g} s this had not ended:\n{' '.join(command)}\n{errors}"
            )
        finally:
            end_session(process.pid)
    if process.returncode != 0:
        sys.exit(f"paraview_frames.py: {' '.join(command)}\nended with status {process.returncode}\n{errors}")
    return told


def end_session(session: int) -> None:
    """Kill the processes of a session: mpiexec puts its ranks into separate groups."""
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                os.kill(int(entry.parent.name), signal.SIGKILL)
        except (OSError, IndexError):
            continue  # it has already ended


def compositing(folder: Path, ranks: int) -> list[tuple[float, float]]:
    """When each frame ended on rank 0, and how many seconds that was after the last rank's drawing."""
    times = [np.loadtxt(folder / f"rank{rank}.txt", ndmin=2) for rank in range(ranks)]
    counts = [len(each) for each in times]
    if len(set(counts)) != 1:
        sys.exit(f"paraview_frames.py: the ranks composited {counts} frames; expected as many on each")
    last = np.max([each[:, 2] for each in times], axis=0)
    ends = times[0][:, 3]
    return list(zip(ends.tolist(), (ends - last).tolist(), strict=True))


def compare(job: Job, ranks: int) -> dict[str, int]:
    """Draw with both, and compare the pictures: the maximum difference of each cell, in units of 255."""
    folders = {peer: job.folder / f"{peer}{ranks}" for peer in PEERS}
    for peer, folder in folders.items():
        folder.mkdir()
        job.run(peer, ranks, 1, folder)
    found = {}
    for scene, size in job.cells:
        name = f"{scene}-{size}"
        one, other = (np.asarray(Image.open(folders[peer] / f"{name}.png")).astype(int) for peer in PEERS)
        if len(np.unique(one.reshape(-1, one.shape[-1]), axis=0)) < 10:
            sys.exit(f"paraview_frames.py: nothing is to be seen in {name} on {ranks} ranks")
        found[name] = int(np.abs(one - other).max())
        if found[name] > (0 if scene == "surface" else ranks):
            sys.exit(f"paraview_frames.py: {name} on {ranks} ranks differs by {found[name]} of 255")
    return found


def summary(seconds: Iterable[float]) -> dict[str, float]:
    """Median and quartiles in milliseconds."""
    low, middle, high = np.percentile(list(seconds), [25, 50, 75]) * 1e3
    return {"median": middle, "low": low, "high": high}


def rows_of(job: Job, ranks: int, turns: list[dict], differences: dict[str, int]) -> list[dict[str, Any]]:
    """One row per cell."""
    loads = [turn["load"] for turn in turns]
    rows = []
    for scene, size in job.cells:
        row: dict[str, Any] = {"ranks": ranks, "scene": scene, "size": size, "loads": loads}
        row["difference"] = differences[f"{scene}-{size}"]
        for measure in MEASURES:
            by_turn = {peer: [turn[peer][scene, size][measure] for turn in turns] for peer in PEERS}
            ratios = [
                statistics.median(icet) / statistics.median(ours)
                for icet, ours in zip(*by_turn.values(), strict=True)
            ]
            row[measure] = {peer: summary(chain(*by_turn[peer])) for peer in PEERS}
            row[measure]["ratios"] = ratios
        rows.append(row)
    return rows


def show(rows: list[dict[str, Any]]) -> None:
    """Print one line per row."""
    for row in rows:
        words = [f"{row['ranks']:2} {row['scene']:8} {row['size']:>9}"]
        for measure in MEASURES:
            of = row[measure]
            words.append(
                f"{measure} {of['icet']['median']:7.1f} {of['sortlast']['median']:7.1f}  ratio"
                f" {statistics.median(of['ratios']):.2f} ({min(of['ratios']):.2f} to {max(of['ratios']):.2f})"
            )
        words.append(f"load {min(row['loads']):.1f} to {max(row['loads']):.1f}")
        print("   ".join(words), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("libraries", type=Path)
    parser.add_argument("--paraview", type=Path, help="the folder of pvbatch; default: as on the PATH")
    parser.add_argument(
        "--mpiexec", default="mpiexec.openmpi", help="mpiexec of ParaView's MPI; default: %(default)s"
    )
    parser.add_argument("--ranks", default="2,4,8")
    parser.add_argument("--sizes", default="1920x1080,3840x2160")
    parser.add_argument("--scenes", default="surface,volume")
    parser.add_argument("--turns", type=int, default=5, help="turns of each; default: %(default)s")
    parser.add_argument("--frames", type=int, default=10, help="per turn and cell; default: %(default)s")
    parser.add_argument("--limit", type=float, default=600, help="seconds per turn; default: %(default)s")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("paraview_frames.py: ended by SIGTERM"))

    done: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder, displays.started(4096, 2304) as display:
        job = Job(asked, Path(folder), display)
        for ranks in (int(number) for number in asked.ranks.split(",")):
            differences = compare(job, ranks)
            turns = []
            for turn in range(asked.turns):
                begin = time.monotonic()
                found: dict[str, Any] = {"load": os.getloadavg()[0]}
                for peer in PEERS if turn % 2 == 0 else PEERS[::-1]:
                    found[peer] = job.run(peer, ranks, asked.frames)
                turns.append(found)
                print(f"{ranks} ranks, turn {turn + 1}: {time.monotonic() - begin:.0f} s", file=sys.stderr)
                rows = rows_of(job, ranks, turns, differences)
                if asked.json:
                    origin = {**asdict(provenance.here()), "paraview": job.version}
                    asked.json.write_text(
                        json.dumps({"origin": origin, "rows": done + rows}, indent=1) + "\n"
                    )
            show(rows)
            done += rows


if __name__ == "__main__":
    main()
