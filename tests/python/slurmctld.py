"""Shows a topology.conf to Slurm's own daemon: Debian's slurmctld, asked by scontrol.

    shown = slurmctld.shown(conf, nodes, tmp_path)
    shown["leaf1"]["Nodes"]  # "node[01-24]", as `scontrol show topology` prints it

The daemon has nodes that never answer, no accounts and no munge, and listens on a free port of this machine.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import references
from sortlast import _fabric

_LIMIT = 60.0  # until it answers [s]


def shown(conf: str, nodes: list[str], folder: Path) -> dict[str, dict[str, str]]:
    """What Slurm makes of a topology.conf: the fields of each switch, by its name.

    Fails with the daemon's log if it does not take the file.
    """
    program, asker = references.find("slurmctld"), references.find("scontrol")
    settings = folder / "slurm.conf"
    (folder / "state").mkdir()
    (folder / "topology.conf").write_text(conf)
    settings.write_text(_settings(folder, nodes))
    environment = os.environ | {"SLURM_CONF": str(settings)}
    log = folder / "slurmctld.log"
    with log.open("w") as output:
        daemon = subprocess.Popen(
            [program, "-D", "-f", str(settings)], stdout=output, stderr=output, env=environment
        )
    try:
        limit = time.monotonic() + _LIMIT
        while True:
            asked = subprocess.run(
                [asker, "show", "topology"], env=environment, capture_output=True, text=True, timeout=_LIMIT
            )
            if asked.returncode == 0 and asked.stdout:
                break
            waiting = daemon.poll() is None and time.monotonic() < limit
            assert waiting, log.read_text() + asked.stderr
            time.sleep(0.2)
    finally:
        daemon.send_signal(signal.SIGKILL)
        daemon.wait()
    wrong = [line for line in log.read_text().splitlines() if "fatal" in line or "TOPOLOGY" in line]
    assert not wrong, wrong
    switches = {}
    for line in asked.stdout.splitlines():
        fields = dict(word.split("=", 1) for word in line.split())
        switches[fields["SwitchName"]] = fields
    return switches


def _settings(folder: Path, nodes: list[str]) -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    listed = "\n".join(
        f"NodeName={_fabric.fold_node_list(nodes[k : k + 1000])} NodeAddr=127.0.0.1 State=UNKNOWN"
        for k in range(0, len(nodes), 1000)
    )
    return f"""ClusterName=test
SlurmctldHost={socket.gethostname()}(127.0.0.1)
SlurmUser={os.getuid()}
SlurmdUser={os.getuid()}
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/pgid
MpiDefault=none
SlurmctldPort={port}
SlurmctldPidFile={folder}/slurmctld.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
TopologyPlugin=topology/tree
PluginDir={Path(references.find("slurm-plugins")).parent}
{listed}
PartitionName=all Nodes=ALL Default=YES State=UP
"""
