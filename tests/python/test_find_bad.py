"""The search for slow cables: paths and classes, stages, evidence, and faults that are found."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slow_links import paths_of, searched, simulated, walks
from sortlast import ArgumentError, Error, fabric
from sortlast.fabric import pair_paths
from sortlast.fabric.cable_search import _distinguishing_pair, findings
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
    with pytest.raises(ArgumentError, match="the number of hosts is 1; expected 2 to 2048"):
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


def test_a_targeted_stage_distinguishes_targets():
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
def test_without_noise_every_slow_link_is_found_as_far_as_pairs_distinguish(data):
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


def test_links_that_no_pair_distinguishes_are_named_together_with_a_pair_that_would():
    paths = paths_of("k-ary-n-tree:4,2", "d-mod-k", [0, 5, 10, 15])
    walked = walks(paths)
    down, own = walked[0, 1][-2:]
    found = searched(paths, simulated(paths, {own: lambda: 0.5}, 0.02, 1))
    assert [each.channels for each in found.found] == [sorted((own, down))]
    sender, receiver = found.found[0].next_pair or (0, 0)
    assert len({own, down} & {*paths.routes.walk(sender, receiver)}) == 1

    alone = paths_of("crossbar:2", "minhop")
    assert [len(each) for each in alone.classes] == [2, 2]
    assert _distinguishing_pair(alone.routes, alone.hosts, alone.classes[0]) is None


def test_noise_beyond_reason_names_no_link():
    paths = paths_of("k-ary-n-tree:4,2", "d-mod-k")
    found = searched(paths, simulated(paths, {3: lambda: 0.2}, 0.6, 1))
    assert found.found == []
    assert found.noise > 0.3


def test_findings_survive_json():
    paths = paths_of("k-ary-n-tree:4,2", "d-mod-k", [0, 5, 10, 15])
    found = searched(paths, simulated(paths, {0: lambda: 0.5}, 0.02, 1))
    assert findings(json.loads(json.dumps(asdict(found) | {"more": 1}))) == found
