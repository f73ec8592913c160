"""The search for slow cables: paths and classes, stages, evidence, and faults that are found."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import commands
import mpirun
import references
from sortlast import ArgumentError, Error, fabric
from sortlast.cli import _bandwidth_find, _terminal
from sortlast.fabric import CableFindings, CableSearch, PairPaths, pair_paths
from sortlast.fabric.cable_search import _telling_pair, findings
from sortlast.fabric.probes import Probes
from sortlast.fabric.suspects import Messages, evidence, messages

FABRICS = [
    ("k-ary-n-tree:3,2", "d-mod-k", None),
    ("k-ary-n-tree:3,2", "minhop", [0, 3, 6]),
    ("k-ary-n-tree:2,3", "ftree", None),
    ("pgft:4,3;1,2;1,2", "random", None),
    ("torus:3,3", "dor", None),
    ("dragonfly:2,2,1,3", "minhop", [0, 1, 2, 5, 7]),
]


def paths_of(net: str, engine: str, hosts: Sequence[int] | None = None, lmc: int = 0) -> PairPaths:
    topology = fabric.make_topology(net)
    routes = fabric.route(topology, engine, lmc=lmc)
    return pair_paths(routes, range(len(topology.hosts)) if hosts is None else hosts)


def told_apart(net: str, channel: int) -> list[int]:
    """The class of a channel, for all hosts and d-mod-k."""
    return next(each for each in paths_of(net, "d-mod-k").classes if channel in each)


def walks(paths: PairPaths) -> dict[tuple[int, int], list[int]]:
    """The channels between all ordered pairs of ranks, walked one by one."""
    return {
        (a, b): paths.routes.walk(paths.hosts[a], paths.hosts[b]) for a, b in permutations(range(paths.p), 2)
    }


def simulated(
    paths: PairPaths, rates: dict[int, Callable[[], float]], noise: float, seed: int
) -> Callable[[NDArray[np.int32]], NDArray[np.float64]]:
    """Measures stages on links of rate 1, except for the channels in ``rates``: the slowest counts."""
    random = np.random.default_rng(seed)
    walked = walks(paths)

    def measure(stages: NDArray[np.int32]) -> NDArray[np.float64]:
        speeds = np.zeros((len(stages), 1, paths.p))
        for number, sender in np.argwhere(stages >= 0):
            path = walked[sender, stages[number, sender]]
            slowest = min([rates[channel]() for channel in path if channel in rates], default=1.0)
            speeds[number, 0, sender] = 1e9 * slowest * random.lognormal(0, noise)
        return speeds

    return measure


def searched(
    paths: PairPaths, measure: Callable[[NDArray[np.int32]], NDArray[np.float64]], seed: int = 1
) -> CableFindings:
    search = CableSearch(paths, seed)
    while (stages := search.next_stages()) is not None:
        search.add(stages, measure(stages))
    return search.result()


# --- paths ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("net", "engine", "hosts"), FABRICS)
@pytest.mark.parametrize("lmc", [0, 1])
def test_paths_are_those_of_the_tables_and_classes_those_of_brute_force(net, engine, hosts, lmc):
    paths = paths_of(net, engine, hosts, lmc)
    crossing: dict[int, set[tuple[int, int]]] = {}
    for pair, path in walks(paths).items():
        own = [link for link in paths.links[pair].tolist() if link < len(paths.classes)]
        assert len(own) == len({*own})
        assert {channel for link in own for channel in paths.classes[link]} == {*path}
        assert paths.hops[pair] == len(path)
        for channel in path:
            crossing.setdefault(channel, set()).add(pair)
    class_of = {channel: link for link, channels in enumerate(paths.classes) for channel in channels}
    assert class_of.keys() == crossing.keys()
    for one, other in permutations(crossing, 2):
        assert (class_of[one] == class_of[other]) == (crossing[one] == crossing[other])


def test_impossible_hosts_and_tables_are_rejected(tmp_path):
    topology = fabric.make_topology("k-ary-n-tree:2,2")
    routes = fabric.route(topology, "d-mod-k")
    with pytest.raises(ArgumentError, match="1 hosts; expected 2 to 4096"):
        pair_paths(routes, [0])
    with pytest.raises(ArgumentError, match="a host is named twice; start one rank per host"):
        pair_paths(routes, [0, 1, 0])
    topology = fabric.assign_lids(topology)
    lines = fabric.write_lfts(fabric.route(topology, "d-mod-k")).splitlines()
    lid = f"0x{topology.hosts[3].lid:04x}"
    (tmp_path / "lfts").write_text("\n".join(line for line in lines if not line.startswith(lid)))
    with pytest.raises(Error, match="knows no port"):
        pair_paths(fabric.read_routes(topology, tmp_path / "lfts"), range(4))


# --- stages -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("net", "engine", "hosts"), [*FABRICS, ("crossbar:2", "minhop", None)])
def test_a_stage_uses_every_direction_of_a_link_once_and_the_round_covers_all(net, engine, hosts):
    paths = paths_of(net, engine, hosts)
    walked, probes = walks(paths), Probes(paths, seed=3)
    stages = probes.covering(4)
    total: Counter[int] = Counter()
    for stage in stages:
        flows = [(sender, int(receiver)) for sender, receiver in enumerate(stage) if receiver >= 0]
        used = Counter(channel for flow in flows for channel in walked[flow])
        assert max(used.values()) == 1
        assert not {flow[::-1] for flow in flows} & {*flows}
        total += used
    for link, channels in enumerate(paths.classes):
        assert {total[channel] for channel in channels} == {int(probes.crossed[link])}
    assert probes.crossed.min() >= 4


def test_a_targeted_stage_tells_targets_apart():
    # With these tables all messages to a host of another leaf use one link down, and its own.
    paths = paths_of("k-ary-n-tree:4,2", "d-mod-k")
    walked, probes = walks(paths), Probes(paths)
    for receiver in range(16):
        down, own = walked[(receiver + 8) % 16, receiver][-2:]
        targets = [next(n for n, link in enumerate(paths.classes) if link == [each]) for each in (own, down)]
        stage = probes.stage(targets)
        sender = stage.tolist().index(receiver)
        assert sender // 4 == receiver // 4


# --- evidence ---------------------------------------------------------------------------------------------


def test_evidence_is_the_likelihood_ratio():
    """Compare with the densities written out, for messages whose median, sigma and kappa are known."""
    paths = paths_of("crossbar:4", "minhop")
    pair, speed = [], []
    random = np.random.default_rng(5)
    for _ in range(40):
        for sender, receiver in permutations(range(4), 2):
            pair.append(4 * sender + receiver)
            speed.append(float(random.lognormal(0, 0.05) * (0.6 if receiver == 2 else 1)))
    found = evidence(paths, Messages(np.array(pair), np.array(speed)))

    receivers = np.array(pair) % 4
    healthy = np.log(speed)[receivers != 2]
    r = np.log(speed) - np.median(healthy)
    sigma = 1.4826 * np.median(np.abs(r[receivers != 2]))
    assert found.sigma == pytest.approx(sigma)
    kappa = max(0.01, float((np.abs(r[receivers != 2]) > 4 * sigma).mean()))

    def normal(x: float) -> float:
        return float(np.exp(-0.5 * (x / sigma) ** 2) / (sigma * np.sqrt(2 * np.pi)))

    def uniform(x: float) -> float:
        return 1 / np.log(100) if -np.log(100) < x < 0 else 0.0

    walked = walks(paths)
    for link, (channel,) in enumerate(paths.classes):
        own = [float(each) for each, key in zip(r, pair, strict=True) if channel in walked[divmod(key, 4)]]
        usual = np.array([(1 - kappa) * normal(x) + kappa * uniform(x) for x in own])
        logs = []
        for rate in (0.93, 0.88, 0.8, 0.7, 0.5):
            slow = [(1 - kappa) * normal(x - np.log(rate)) + kappa * uniform(x) for x in own]
            logs.append(np.log(slow / usual).sum())
        for share in (0.1, 0.3, 0.9):
            slow = [(1 - share) * normal(x) + share * uniform(x) for x in own]
            logs.append(np.log(slow / usual).sum())
        assert found.log_ratio[link] == pytest.approx(np.logaddexp.reduce(logs) - np.log(8), rel=1e-6)
        assert found.crossed[link] == len(own) == 120
    best = int(found.confidence.argmax())
    assert paths.classes[best] == [walked[0, 2][-1]]
    assert found.confidence[best] > 0.999
    assert found.rate[best] == pytest.approx(0.6, rel=0.05)


def test_messages_are_those_of_the_stages():
    stages = np.array([[1, 2, -1], [-1, 0, 1]], np.int32)
    speeds = np.arange(12.0).reshape(2, 2, 3)
    found = messages(stages, speeds)
    assert found.pair.tolist() == [1, 1, 5, 5, 3, 3, 7, 7]
    assert found.bandwidth.tolist() == [0, 3, 1, 4, 7, 10, 8, 11]


# --- faults -----------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_without_noise_every_slow_link_is_found_as_far_as_pairs_tell(data):
    net, engine, hosts = data.draw(st.sampled_from(FABRICS))
    paths = paths_of(net, engine, hosts)
    link = data.draw(st.integers(0, len(paths.classes) - 1))
    channel = data.draw(st.sampled_from(paths.classes[link]))
    rate = data.draw(st.sampled_from([0.1, 0.5, 0.9]))
    found = searched(paths, simulated(paths, {channel: lambda: rate}, 0, 1), data.draw(st.integers(0, 99)))
    assert [each.channels for each in found.found] == [paths.classes[link]]
    assert found.found[0].rate == pytest.approx(rate)
    assert found.open == []
    assert found.next_pairs == []


@pytest.mark.parametrize("kind", ["healthy", "half", "ninety", "lossy"])
def test_slow_links_are_found_in_noise(kind):
    """24 seeded cases of each kind among 192 links of 48 hosts, with 5 % of noise."""
    paths = paths_of("pgft:8,6;1,8;1,1", "d-mod-k")
    outcomes: Counter[str] = Counter()
    for case in range(24):
        random = np.random.default_rng((7, case))
        link = int(random.integers(len(paths.classes)))

        def rate(random: np.random.Generator = random) -> float:
            if kind == "lossy":
                return float(1 / (1 + random.uniform(0.2, 2, random.poisson(1)).sum()))
            return {"half": 0.5, "ninety": 0.9}[kind]

        slow = {} if kind == "healthy" else {paths.classes[link][0]: rate}
        found = [each.channels for each in searched(paths, simulated(paths, slow, 0.05, case), case).found]
        expected = [paths.classes[link]] if slow else []
        outcomes["right" if found == expected else "wrong" if found else "nothing"] += 1
    assert outcomes["right"] >= 23
    assert outcomes["wrong"] == 0


def test_several_slow_links_are_found():
    paths = paths_of("pgft:8,6;1,8;1,1", "d-mod-k")
    rates = {5: 0.3, 60: 0.6, 150: 0.85}
    slow = {paths.classes[link][0]: (lambda rate=rate: rate) for link, rate in rates.items()}
    found = searched(paths, simulated(paths, slow, 0.03, 2))
    assert sorted(each.channels for each in found.found) == [paths.classes[link] for link in rates]


def test_links_that_no_pair_tells_apart_are_named_together_with_a_pair_that_would():
    paths = paths_of("k-ary-n-tree:4,2", "d-mod-k", [0, 5, 10, 15])
    walked = walks(paths)
    down, own = walked[0, 1][-2:]
    found = searched(paths, simulated(paths, {own: lambda: 0.5}, 0.02, 1))
    assert [each.channels for each in found.found] == [sorted((own, down))]
    sender, receiver = found.found[0].next_pair or (0, 0)
    assert len({own, down} & {*paths.routes.walk(sender, receiver)}) == 1

    alone = paths_of("crossbar:2", "minhop")
    assert [len(each) for each in alone.classes] == [2, 2]
    assert _telling_pair(alone.routes, alone.hosts, alone.classes[0]) is None


def test_noise_beyond_reason_names_no_link():
    paths = paths_of("k-ary-n-tree:4,2", "d-mod-k")
    found = searched(paths, simulated(paths, {3: lambda: 0.2}, 0.6, 1))
    assert found.found == []
    assert found.noise > 0.3


def test_findings_survive_json():
    paths = paths_of("k-ary-n-tree:4,2", "d-mod-k", [0, 5, 10, 15])
    found = searched(paths, simulated(paths, {0: lambda: 0.5}, 0.02, 1))
    assert findings(json.loads(json.dumps(asdict(found) | {"more": 1}))) == found


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
@pytest.mark.parametrize("channel", [2, 6, 9])
def test_all_ranks_get_the_same_findings(channel):
    reports = mpirun.reports(4, FAKE.replace("CHANNEL", str(channel)))
    assert all(each == reports[0] for each in reports)
    found, told = reports[0]
    assert [each["channels"] for each in found["found"]] == [told_apart("k-ary-n-tree:2,2", channel)]
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
    assert "No pair of these hosts tells" in printed
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

    net, channel = "k-ary-n-tree:2,2", 6
    asked = _bandwidth_find.Settings(net, "d-mod-k", None, None, None, 100_000, 1)
    with Testbed(Settings(net, engine="d-mod-k", rate_mbit=2)) as testbed:
        with pytest.raises(ArgumentError, match="expected one with a cable, and a rate above 0, up to 1"):
            testbed.impair(channel, 0)
        testbed.impair(channel, 0.3)
        told = answer(testbed, testbed.order(), "sortlast.cli._bandwidth_find", asdict(asked), 300)
    assert [each.channels for each in findings(told).found] == [told_apart(net, channel)]
