"""The search for slow cables on ranks, its command, and a testbed."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

import commands
import mpirun
import references
from slow_links import class_of, paths_of, searched, simulated, walks
from sortlast import ArgumentError, Error
from sortlast.cli import _bandwidth_find, _terminal
from sortlast.fabric.cable_search import findings

# --- ranks ------------------------------------------------------------------------------------------------

# Measures with times computed from a slow link instead of real ones: messages arrive, but nobody waits.
FAKE = """
import json
from dataclasses import asdict
import numpy as np
from sortlast import bandwidth, fabric
routes = fabric.route(fabric.make_topology("k-ary-n-tree:2,2"), "d-mod-k")
noise = np.random.default_rng(rank)
def send(comm, outgoing, to, incoming, source):
    if source >= 0:
        incoming[:] = bandwidth.payload(source, comm.rank, incoming.size)
    slow = to >= 0 and CHANNEL in routes.walk(comm.rank, to)
    return 1e-3 * noise.lognormal(0, 0.05) * (2 if slow else 1)
bandwidth._send = send
told = []
found = bandwidth.find_bad(comm, routes, range(4), 1000, progress=lambda *each: told.append(each))
report([asdict(found), told])
"""


@pytest.mark.mpi
def test_wrong_nodes_are_refused_on_every_rank():
    reports = mpirun.reports(
        2,
        """
        from sortlast import ArgumentError, bandwidth, fabric
        routes = fabric.route(fabric.make_topology("crossbar:4"), "minhop")
        texts = []
        for nodes, size in ([0, 0], 1000), ([0, 4], 1000), ([0, 1, 2], 1000), ([0, 1], 0):
            try:
                bandwidth.find_bad(comm, routes, nodes, size)
            except ArgumentError as error:
                texts.append(str(error))
        report(texts)
        """,
    )
    expected = [
        "a host is named twice; start one rank per host",
        "4 is no host of the fabric; expected 0 to 3",
        "3 nodes for 2 ranks; expected one for each",
        "message_bytes is 0; expected 1 or more",
    ]
    assert reports == [expected] * 2


@pytest.mark.mpi
@pytest.mark.parametrize("channel", [2, 6, 9])
def test_all_ranks_get_the_same_findings(channel):
    reports = mpirun.reports(4, FAKE.replace("CHANNEL", str(channel)))
    assert all(each == reports[0] for each in reports)
    found, told = reports[0]
    assert [each["channels"] for each in found["found"]] == [class_of("k-ary-n-tree:2,2", channel)]
    assert found["rounds"] == told[-1][0]
    assert sum(total for _, done, total in told if done == total) == found["stages"]


@pytest.mark.family
@pytest.mark.mpi
def test_stages_are_measured_and_idle_ranks_report_nothing():
    reports = mpirun.reports(
        4,
        """
        import numpy as np
        from sortlast import bandwidth
        stages = np.array([[1, 2, -1, -1], [-1, -1, -1, 0], [3, -1, 1, 2], [-1, -1, -1, -1]], np.int32)
        report(bandwidth.measure_stages(comm, stages, 10_000, 2).tolist())
        """,
    )
    assert all(each == reports[0] for each in reports)
    speeds = np.array(reports[0])
    assert speeds.shape == (4, 2, 4)
    sends = [[True, True, False, False], [False, False, False, True], [True, False, True, True], [False] * 4]
    for stage, expected in enumerate(sends):
        for run in range(2):
            assert (speeds[stage, run] > 0).tolist() == expected


# --- the command ------------------------------------------------------------------------------------------


def run(*args: object) -> Any:
    return commands.run("bandwidth", "--find-bad", *args)


@pytest.mark.mpi
def test_command_measures_prints_and_writes(tmp_path):
    table = tmp_path / "found.json"
    where = ("--net", "k-ary-n-tree:2,2", "--nodes", "host[00000-00003]", "--engine", "d-mod-k")
    done = run("--ranks", 4, "--bytes", 2000, *where, "--json", table)
    written = json.loads(table.read_text())
    assert done.returncode == (1 if written["found"] else 0), done.stderr
    assert "4 hosts of 2-ary 2-tree, tables assumed: d-mod-k: 16 directions of links in" in done.stdout
    assert ("no slow link found" in done.stdout) == (not written["found"])
    assert (written["p"], written["links"], written["unused"]) == (4, 16, 0)
    assert written["settings"]["message_bytes"] == 2000
    assert written["provenance"]["host"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "--find-bad needs the fabric of the nodes; name its file with --net"),
        (("--net", "crossbar:4", "--matrix", "m.txt"), "--find-bad measures no matrix"),
        (("--net", "crossbar:9", "--nodes", "host[00001-00003]"), "3 nodes for 4 ranks; name more"),
    ],
)
def test_command_rejects_before_it_starts_ranks(args, message):
    done = run(*args)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


def test_machines_that_the_fabric_does_not_have_need_nodes():
    asked = _bandwidth_find.Settings("crossbar:4", "minhop", None, None, None, 1, 1)
    with pytest.raises(Error, match="name the nodes of the ranks with --nodes"):
        asked.hosts(asked.routes(), ["elsewhere", "nowhere"])


def test_findings_are_printed_with_what_to_do_next(capsys):
    paths = paths_of("k-ary-n-tree:4,2", "d-mod-k", [0, 5, 10, 15])
    own = walks(paths)[0, 1][-1]
    found = searched(paths, simulated(paths, {own: lambda: 0.5}, 0.02, 1))
    asked = _bandwidth_find.Settings("k-ary-n-tree:4,2", "d-mod-k", None, None, None, 1000, 1)
    _bandwidth_find.write(_terminal.console(), asked, 4, found)
    printed = capsys.readouterr().out
    assert "sw-L1-0001 [2] -> [1] host00005 HCA-1" in printed
    assert "host or fabric" in printed
    assert "No pair of these hosts distinguishes" in printed
    assert "messages from host0000" in printed

    found = searched(paths, simulated(paths, {own: lambda: 0.5}, 0.6, 1))
    _bandwidth_find.write(_terminal.console(), asked, 4, found)
    printed = capsys.readouterr().out
    assert "no slow link found" in printed
    assert "too much to call a link slow" in printed


# --- real packets -----------------------------------------------------------------------------------------


@pytest.mark.mpi
@references.NAMESPACES
def test_a_slow_link_of_a_testbed_is_found():
    from sortlast_testbed import Settings, Testbed, answer

    net, channel = "k-ary-n-tree:2,2", 1
    asked = _bandwidth_find.Settings(net, "d-mod-k", None, None, None, 100_000, 1)
    with Testbed(Settings(net, engine="d-mod-k", rate_mbit=2)) as testbed:
        with pytest.raises(ArgumentError, match="channel -1 has no cable"):
            testbed.drop_packets(-1, 3)
        testbed.set_rate(channel, 0.6)
        told = answer(testbed, testbed.order(), "sortlast.cli._bandwidth_find", asdict(asked), 300)
    assert [each.channels for each in findings(told).found] == [class_of(net, channel)]
