"""ibdmsh of ibutils: counts the flows on every port along the forwarding tables that OpenSM dumped."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

# Definitions that ibutils needs before it counts: the hops and the levels of the tree.
BEGIN = """set fabric [new_IBFabric]
IBFabric_parseSubnetLinks $fabric opensm-subnet.lst
IBFabric_parseFdbFile $fabric opensm.fdbs
ibdmCalcMinHopTables $fabric
ibdmRankFabricByRoots $fabric [ibdmFindRootNodesByMinHop $fabric]
ibdmCongInit $fabric
"""

Pair = tuple[int, int]  # LIDs: source, destination


def missing() -> str:
    """The missing software; empty: none."""
    return "" if shutil.which("ibdmsh") else "ibdmsh is not installed; it is in the Debian package ibutils"


def write_script(path: Path, stages: list[list[Pair]], command: str) -> None:
    """Write a script that traces each stage's flows, then calls `command`: ibdmCongReport or ibdmCongDump."""
    lines = [BEGIN]
    for number, flows in enumerate(stages):
        lines += [f'puts "STAGE {number}"', "ibdmCongClear $fabric"]
        lines += [f"ibdmCongTrace $fabric {source} {destination}" for source, destination in flows]
        lines.append(f"puts [{command} $fabric]")
    path.write_text("\n".join([*lines, "exit", ""]))


def flows_by_port(dump: str) -> list[dict[str, set[Pair]]]:
    """Parse the output of ibdmCongDump, by stage and port ("S0000000020100003/U1/P5", "host00012/P1")."""
    stages: list[dict[str, set[Pair]]] = []
    for line in dump.splitlines():
        if line.startswith("STAGE "):
            stages.append({})
        elif match := re.match(r"PORT:(\S+) NUM:\d+", line):
            flows: set[Pair] = set()
            stages[-1][match.group(1)] = flows
        elif match := re.fullmatch(r"(\d+) (\d+)\s*", line):
            flows.add((int(match.group(1)), int(match.group(2))))
    return stages
