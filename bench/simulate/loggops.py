"""Programs in the LogGOPS model compared with LogGOPSim (https://github.com/spcl/LogGOPSim): times and speed.

    python bench/simulate/loggops.py --loggopsim FOLDER [--json FILE]

FOLDER contains the executables LogGOPSim, txt2bin and schedgen. The programs are our traffic and schedules,
written as GOAL, and the output of schedgen: collectives, and a training step of a network. Each runs with
LogGOPSim's parameters, with parameters of a fast network with a small limit for eager messages, and with a
CPU that is busy with every byte. For up to 16 ranks, the end of every rank is compared, otherwise only the
end of the last one.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from peer_process import run

from sortlast import schedule, simulate
from sortlast._simulate import parse_program

PARAMETERS = {
    "standard": {"L": 2500, "o": 1500, "g": 1000, "G": 6, "O": 0, "S": 65535},
    "fast": {"L": 700, "o": 200, "g": 30, "G": 1, "O": 0, "S": 256},
    "busy": {"L": 1000, "o": 300, "g": 900, "G": 2, "O": 3, "S": 4096},
}
GENERATED = [
    ("binomialtreereduce", 8, 1024),
    ("binomialtreebcast", 16, 100_000),
    ("dissemination", 100, 8),
    ("linear_alltoall", 16, 20_000),
    ("allreduce_recdoub", 64, 4096),
    ("allreduce_ring", 8, 1_000_000),
    ("allreduce_ring", 16, 1_000_000),
    ("pipelinedring", 12, 4096),
    ("gather", 32, 1000),
    ("scatter", 32, 1000),
    ("random_bisect_fd_sym", 64, 50_000),
    ("resnet", 8, 1000),
]


def programs(folder: Path) -> Iterator[tuple[str, str]]:
    """Names and GOAL texts."""
    for name in ("BU", "2W", "BT"):
        yield f"{name} of 64", simulate.pattern(name, 64, 3000).to_goal()
    for algorithm in ("shift", "binary-swap", "radix-k", "direct-send"):
        made = schedule.make(algorithm, p=16, n=256 * 256)
        yield f"{algorithm} of 16", simulate.from_schedule(made).to_goal()
    yield "shift of 256", simulate.from_schedule(schedule.make("shift", p=256, n=1 << 20)).to_goal()
    yield (
        "binary-swap of 1024",
        simulate.from_schedule(schedule.make("binary-swap", p=1024, n=1 << 20)).to_goal(),
    )
    for pattern, ranks, size in GENERATED:
        with tempfile.TemporaryDirectory() as place:
            text = Path(place) / "made.goal"
            arguments = ["--ptrn", pattern, "--commsize", ranks, "--datasize", size, "--filename", text]
            run(folder / "schedgen", [str(each) for each in arguments], {})
            yield f"schedgen {pattern} of {ranks}", text.read_text()


def loggopsim(folder: Path, text: str, parameters: dict[str, int]) -> tuple[list[int], float]:
    """Ends of all ranks, or of the last alone, in nanoseconds (empty if it loses messages); and seconds."""
    with tempfile.TemporaryDirectory() as place:
        made = Path(place) / "made.bin"
        run(folder / "txt2bin", ["-i", "made.goal", "-o", str(made)], {"made.goal": text})
        options = [f"-{name}{value}" for name, value in parameters.items()]
        said = run(folder / "LogGOPSim", ["-f", str(made), *options], {})
    ends = [int(each) for each in re.findall(r"^Host \d+: (\d+)$", said.text, re.MULTILINE)]
    last = re.search(r"Maximum finishing time at host \d+: (\d+)", said.text)
    if last:
        ends = [int(last[1])]
    if not ends and "queue on host" not in said.text:
        raise RuntimeError(f"LogGOPSim says no times: {said.text[-300:]!r}")
    return ends, said.seconds


def measure(folder: Path, name: str, text: str, setting: str) -> dict[str, Any]:
    """One program in both simulators."""
    parameters = PARAMETERS[setting]
    theirs, their_seconds = loggopsim(folder, text, parameters)
    program = parse_program(text, name)
    before = time.process_time()
    mine = [round(1e9 * end) for end in simulate.loggops(program, **parameters).ends]
    seconds = time.process_time() - before
    if not theirs:
        print(f"{name}, {setting}: {max(mine):,} ns; LogGOPSim ends with receives that never met", flush=True)
        return {"program": name, "parameters": setting, "sortlast_ns": max(mine), "apart": None}
    if len(theirs) == 1:
        mine = [max(mine)]
    apart = max(abs(a - b) / max(b, 1) for a, b in zip(mine, theirs, strict=True))
    row = {
        "program": name,
        "parameters": setting,
        "actions": program.actions,
        "sortlast_ns": max(mine),
        "loggopsim_ns": max(theirs),
        "apart": apart,
        "sortlast_seconds": seconds,
        "loggopsim_seconds": their_seconds,
    }
    same = "all ends the same" if apart == 0 else f"ends up to {apart:.2%} apart"
    print(
        f"{name}, {setting}: {program.actions:,} actions, {max(mine):,} ns, LogGOPSim {max(theirs):,} ns,"
        f" {same}; {seconds:.3f} s, LogGOPSim {their_seconds:.3f} s",
        flush=True,
    )
    return row


def main() -> None:
    """Run all programs, print lines, write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--loggopsim", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.loggopsim is None:
        print("no LogGOPSim: name a folder that has it with --loggopsim")
        return
    folder = options.loggopsim.resolve()
    rows = [measure(folder, name, text, setting) for name, text in programs(folder) for setting in PARAMETERS]
    known = [row["apart"] for row in rows if row["apart"] is not None]
    same = sum(apart == 0 for apart in known)
    print(f"{same} of {len(known)} the same to the nanosecond; most apart {max(known):.2%}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
