"""Why frames were late: invented recordings of which the cause is known, and small ones made by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import late_frames
from refusals import refused
from sortlast import ArgumentError, Error, fabric, simulate, trace
from sortlast.fabric import PortCounters
from sortlast.simulate import Lateness
from sortlast.trace import Event

DATA = Path(__file__).parents[1] / "fabric" / "data"
SEEDS = range(12)
FELT = 1.5  # a slow link that makes a frame longer by less is not its cause


def explained(found: late_frames.Recording, counters: PortCounters | None = None) -> Lateness:
    """The verdict on an invented recording, with its own counters by default."""
    return simulate.lateness(
        found.routes,
        found.events,
        placement=found.hosts,
        link_bytes_per_second=late_frames.RATE,
        counters=found.counters if counters is None else counters,
    )


def unknown(channels: int) -> PortCounters:
    """Counters of which none is known."""
    return late_frames.counters(np.full(channels, -1.0))


# --- invented recordings ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["start", "work", "none"])
def test_a_late_or_slow_rank_is_named_and_the_network_is_not(kind: str, seed: int) -> None:
    found = late_frames.invent(kind, seed)
    late = explained(found)
    (frame,) = late.frames
    assert frame.cause == kind
    assert frame.ranks == (() if kind == "none" else (found.truth.rank,))
    assert frame.links == ()
    assert not late.network_is_cause
    assert late.text.startswith("the network is not the cause")
    assert ("the network is not the cause" in frame.text) == (kind != "none")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["link", "traffic"])
def test_a_slow_link_and_a_busy_one_are_named_and_told_apart(kind: str, seed: int) -> None:
    found = late_frames.invent(kind, seed)
    late = explained(found)
    (frame,) = late.frames
    if found.slowdown < FELT:
        assert frame.cause in ("none", kind)
        return
    assert found.truth.channel in frame.links
    if frame.cause == "host":  # its messages all cross the cable of one host too
        assert kind == "link"
        return
    assert frame.cause == kind
    assert late.network_is_cause
    # Without counters, traffic of others is a slow link, or a rank that did not run if messages of one rank
    # end at the same moment.
    (frame,) = explained(found, unknown(found.routes.topology.channels)).frames
    assert frame.cause in ("link", "host")
    assert found.truth.channel in frame.links
    assert frame.cause == "link" or len(frame.ranks) == 1


def test_messages_that_a_rank_notices_at_one_moment_may_have_waited_for_it() -> None:
    """Rank 1 receives late from ranks 2 and 3, and in time from rank 0, which is on the same leaf."""
    tree = fabric.k_ary_n_tree(2, 2)
    routes = fabric.route(tree, "d-mod-k")

    def recording(last: float) -> list[list[Event]]:
        begin = [[Event("agree", 0.0, 0.001)] for _ in range(4)]
        for source, end in ((0, 1.0), (2, 90.0), (3, last)):
            begin[source].append(Event("send", 0.001, 0.1, 1, 1, 1000))
            begin[1].append(Event("receive", 0.001, end, source, 1, 1000))
        return begin

    apart, together = (
        simulate.lateness(routes, recording(last), link_bytes_per_second=1000.0).frames[0]
        for last in (92.0, 90.01)
    )
    assert apart.cause == "link"
    assert together.cause == "host"
    assert together.ranks == (1,)
    assert together.links == apart.links
    assert "it did not run, or" in together.text


@pytest.mark.parametrize("seed", SEEDS)
def test_the_cable_of_a_host_is_doubted_until_counters_confirm_it(seed: int) -> None:
    found = late_frames.invent("cable", seed)
    (frame,) = explained(found).frames
    assert frame.cause == "host"
    assert found.truth.channel in frame.links
    topology = found.routes.topology
    ends = (topology.source(found.truth.channel)[0], topology.target(found.truth.channel)[0])
    assert found.hosts[frame.ranks[0]] in ends

    errors = found.counters.symbol_errors.copy()
    errors[found.truth.channel] = 40
    (frame,) = explained(found, replace(found.counters, symbol_errors=errors)).frames
    assert frame.cause == "link"
    assert "40 symbol errors" in frame.text


@pytest.mark.parametrize("seed", [seed for seed in SEEDS if late_frames.invent("link", seed).slowdown > FELT])
def test_ports_that_never_waited_contradict_a_slow_link(seed: int) -> None:
    found = late_frames.invent("link", seed)
    quiet = np.zeros(found.routes.topology.channels, np.int64)
    counters = replace(found.counters, waits=quiet, symbol_errors=quiet, link_downs=quiet)
    late = explained(found, counters)
    assert late.frames[0].cause == "unclear"
    assert "counters contradict" in late.frames[0].text
    assert "not clear" in late.text

    waits = quiet + 1
    assert explained(found, replace(counters, waits=waits)).frames[0].cause == "link"


# --- by hand ----------------------------------------------------------------------------------------------


def two_ranks(arrival: float, *, start: float = 0.0, blend: float = 0.0) -> list[list[Event]]:
    """Rank 0 sends 1000 bytes to rank 1, which called at ``start``; all at 1000 byte/s."""
    begin = max(start, 0.0)
    receiver = [
        Event("agree", start, begin),
        Event("receive", begin, begin + arrival, 0, 1, 1000),
        Event("blend", begin + arrival, begin + arrival + blend, bytes=1000),
    ]
    return [[Event("agree", 0.0, begin), Event("send", begin, begin + 0.1, 1, 1, 1000)], receiver]


def test_residuals_are_recorded_minus_predicted_time() -> None:
    routes = fabric.route(fabric.crossbar(2), "minhop")
    late = simulate.lateness(routes, two_ranks(1.75), link_bytes_per_second=1000)
    (message,) = late.residuals
    assert message.predicted == pytest.approx(1.0)
    assert message.residual == message.unexplained == pytest.approx(0.75)
    assert [link.channel for link in late.links] == routes.walk(0, 1)
    assert {link.unexplained for link in late.links} == {message.unexplained}
    assert late.frames[0].network == message.unexplained

    # The same message is punctual on a slower link, and while an end blends its lateness is explained.
    assert (
        simulate.lateness(routes, two_ranks(1.75), link_bytes_per_second=1000 / 1.75).frames[0].cause
        == "none"
    )
    busy = two_ranks(1.75)
    busy[0].append(Event("blend", 0.2, 0.95, bytes=10))
    (message,) = simulate.lateness(routes, busy, link_bytes_per_second=1000).residuals
    assert (message.busy, message.unexplained) == (pytest.approx(0.75), pytest.approx(0, abs=1e-9))


def test_messages_that_share_a_link_are_predicted_to_share_it() -> None:
    routes = fabric.route(fabric.crossbar(3), "minhop")
    events = [[Event("send", 0, 1, 2, 1, 1000)], [Event("send", 0.5, 1, 2, 1, 1000)]]
    events.append([Event("receive", 0, 1.5, 0, 1, 1000), Event("receive", 0, 2, 1, 1, 1000)])
    late = simulate.lateness(routes, events, link_bytes_per_second=1000)
    # From 0.5 to 1.5 s each has half of the link; then the second has all of it.
    assert [each.predicted for each in late.residuals] == pytest.approx([1.5, 1.5])
    assert [each.residual for each in late.residuals] == pytest.approx([0, 0], abs=1e-9)


@pytest.mark.parametrize("noticed", [1.7, 1.8])
def test_a_send_that_its_rank_notices_last_hides_no_slow_link(noticed: float) -> None:
    routes = fabric.route(fabric.crossbar(2), "minhop")
    events = two_ranks(1.75)
    events[0][1] = replace(events[0][1], end=noticed)
    frame = simulate.lateness(routes, events, link_bytes_per_second=1000).frames[0]
    assert frame.cause == "host"
    assert frame.network == pytest.approx(0.75)


def test_a_rank_that_notices_the_end_of_its_send_late_is_named() -> None:
    routes = fabric.route(fabric.crossbar(2), "minhop")
    events = two_ranks(1.0)
    events[0][1] = replace(events[0][1], end=5.0)
    frame = simulate.lateness(routes, events, link_bytes_per_second=1000).frames[0]
    assert (frame.cause, frame.ranks) == ("host", (0,))
    assert "4,000 ms after all was done" in frame.text


@pytest.mark.parametrize("kind", ["messages", "noticed", "agreement"])
def test_traffic_from_a_host_of_a_rank_is_told_from_a_rank_that_did_not_run(kind: str) -> None:
    """Rank 0 is late as it sends and as it receives, so that only its host is common to late messages."""
    routes = fabric.route(fabric.crossbar(3), "minhop")
    events = [[Event("agree", 0.0, 0.001)] for _ in range(3)]
    late = {(0, 1), (2, 0)} if kind == "messages" else set()
    for source, destination in ((0, 1), (1, 2), (2, 0), (2, 1), (1, 0)):
        end = 9.0 + source if (source, destination) in late else 3.0
        events[source].append(Event("send", 0.001, 0.1, destination, 1, 1000))
        events[destination].append(Event("receive", 0.001, end, source, 1, 1000))
    if kind == "noticed":
        events[0].append(Event("send", 3.0, 9.0, 1, 2, 0))
    if kind == "agreement":
        events[0] = [replace(each, begin=each.begin + 6.0, end=each.end + 6.0) for each in events[0]]
        events[0][0] = Event("agree", 0.0, 6.001)

    def judged(counted: dict[int, float]) -> simulate.FrameLateness:
        nbytes = np.full(routes.topology.channels, 2000.0)
        nbytes[[*counted]] = [*counted.values()]
        found = simulate.lateness(
            routes, events, link_bytes_per_second=1000, counters=late_frames.counters(nbytes)
        )
        return found.frames[0]

    (out, _), (_, back) = routes.walk(0, 1), routes.walk(1, 0)
    for counted in ({}, {out: 4000.0}):  # nobody else, or too little to explain it
        frame = judged(counted)
        assert (frame.cause, frame.ranks) == ("host", (0,)), frame.text
        assert "it did not run, or its cable is slow" in frame.text
    for cable in (out, back):
        frame = judged({cable: 20_000.0})
        assert (frame.cause, frame.ranks, frame.links) == ("traffic", (), (cable,)), frame.text
        assert "its port counted 20,000 bytes" in frame.text
        assert frame.text.endswith("others send on it")


def test_clocks_that_differ_are_reported() -> None:
    routes = fabric.route(fabric.crossbar(2), "minhop")
    events = [[Event("send", 5.0, 5.1, 1, 1, 1000)], [Event("receive", 3.0, 4.0, 0, 1, 1000)]]
    assert simulate.lateness(routes, events, link_bytes_per_second=1000).clock_error == pytest.approx(1.0)


def test_frames_of_a_recording_are_judged_one_by_one() -> None:
    routes = fabric.route(fabric.crossbar(2), "minhop")
    moved = [
        [replace(event, begin=event.begin + 100, end=event.end + 100) for event in own]
        for own in two_ranks(1.0, start=3.0)
    ]
    both = [first + second for first, second in zip(two_ranks(1.0), moved, strict=True)]
    late = simulate.lateness(routes, both, link_bytes_per_second=1000)
    assert [(frame.frame, frame.cause, frame.ranks) for frame in late.frames] == [
        (1, "none", ()),
        (2, "start", (1,)),
    ]
    assert (
        late.text == "the network is not the cause: 1 of 2 recorded frames had ranks that were late or slow"
    )


def test_wrong_arguments_are_named() -> None:
    routes = fabric.route(fabric.crossbar(2), "minhop")
    for arguments, why in (
        ({"placement": [0]}, "2 ranks were recorded, and 1 have a host"),
        ({"share": 0.0}, "share is 0.0; expected a fraction"),
    ):
        with pytest.raises(ArgumentError, match=why):
            simulate.lateness(routes, two_ranks(1.0), **arguments)
    events = two_ranks(1.0)
    events[0] += [Event("agree", 9, 9), Event("wait", 9, 10)]
    with pytest.raises(ArgumentError, match="rank 1 recorded 1 frames and rank 0 2"):
        simulate.lateness(routes, events)
    full = late_frames.counters(np.full(routes.topology.channels, 7.0))
    with pytest.raises(ArgumentError, match="counter bytes of channel 0 fell from 7 to 6"):
        simulate.lateness(routes, two_ranks(1.0), counters=(full, replace(full, bytes=full.bytes - 1)))


# --- files ------------------------------------------------------------------------------------------------


def test_a_trace_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    events = two_ranks(1.5, start=0.5, blend=0.25)
    trace.save(events, path)
    for own, read in zip(events, trace.read(path), strict=True):
        order = sorted(own, key=lambda event: (event.begin, event.activity))
        assert [(each.activity, each.peer, each.stage, each.bytes) for each in order] == [
            (each.activity, each.peer, each.stage, each.bytes)
            for each in sorted(read, key=lambda event: (event.begin, event.activity))
        ]
    path.write_text("[]")
    with pytest.raises(ArgumentError, match=r"run.json: expected a trace that sortlast.trace.write made"):
        trace.read(path)
    with pytest.raises(Error, match="cannot read"):
        trace.read(tmp_path / "none.json")


@pytest.mark.parametrize("number", [-1, 2**40])
def test_a_trace_of_other_processes_is_refused(number: int, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    trace.save([[Event("blend", 0, 1)]], path)
    path.write_text(path.read_text().replace('"pid":0', f'"pid":{number}'))
    with pytest.raises(ArgumentError, match=f"has the number {number}"):
        trace.read(path)


PORTS = """\
# Port extended counters: Lid 1 port 1 (CapMask: 0x5A00)
PortXmitData:....................100
PortRcvData:.....................50
SymbolErrorCounter:..............7
LinkDownedCounter:...............2
PortXmitWait:....................33
"""
REPORT = """\
   GUID {guid:#x} port 1: [SymbolErrorCounter == 7] [LinkDownedCounter == 2] [PortXmitData == 100] \
[PortRcvData == 50] [PortXmitWait == 33 (33.000)]
"""


@pytest.mark.parametrize("form", ["perfquery", "ibqueryerrors", "db_csv"])
def test_errors_are_of_the_channel_that_arrives_and_waits_of_the_one_that_leaves(
    form: str, tmp_path: Path
) -> None:
    net = fabric.assign_lids(fabric.crossbar(2))
    (switch,) = net.switches
    lid, guid = switch.lid, switch.guid
    path = tmp_path / "counters.txt"
    path.write_text(
        {
            "perfquery": PORTS.replace("Lid 1", f"Lid {lid}"),
            "ibqueryerrors": REPORT.format(guid=guid),
            "db_csv": "START_PM_INFO\nNodeGUID,PortGUID,PortNumber,PortXmitData,PortRcvData,"
            "SymbolErrorCounter,LinkDownedCounter,PortXmitWait\n"
            f"{guid:#x},{guid:#x},1,100,50,7,2,33\nEND_PM_INFO\n",
        }[form]
    )
    found = fabric.read_port_counters(net, path)
    (leaving,) = (c for c in range(net.channels) if net.source(c) == (switch.vertex, 1))
    (arriving,) = (c for c in range(net.channels) if net.target(c) == (switch.vertex, 1))
    assert (found.bytes == fabric.read_counters(net, path)).all()
    assert (found.bytes[leaving], found.bytes[arriving]) == (400, 200)
    assert np.flatnonzero(found.waits >= 0).tolist() == [leaving]
    assert np.flatnonzero(found.symbol_errors >= 0).tolist() == [arriving]
    assert (found.waits[leaving], found.symbol_errors[arriving], found.link_downs[leaving]) == (33, 7, 2)


def test_notes_of_a_report_are_no_counters_and_those_at_their_end_are_unknown(tmp_path: Path) -> None:
    net = fabric.assign_lids(fabric.crossbar(2))
    (switch,) = net.switches
    (leaving,) = (c for c in range(net.channels) if net.source(c) == (switch.vertex, 1))
    (arriving,) = (c for c in range(net.channels) if net.target(c) == (switch.vertex, 1))
    notes = "## Thresholds: [SymbolErrorCounter = 10][LinkDownedCounter = 10][PortXmitWait = 5]\n"
    before, after = tmp_path / "before.txt", tmp_path / "after.txt"
    line = f"GUID {switch.guid:#x} port 1: [PortXmitData == {{}}] [PortRcvData == 50]"
    before.write_text(line.format(100) + "\n" + notes)
    after.write_text(line.format(300) + " [SymbolErrorCounter == 500] [LinkDownedCounter == 255]\n" + notes)
    first, second = (fabric.read_port_counters(net, path) for path in (before, after))
    assert (first.symbol_errors == -1).all()
    assert second.link_downs[leaving] == -1
    found = second.since(first)
    assert (found.bytes[leaving], found.symbol_errors[arriving]) == (800, 500)


def test_counters_that_a_file_lacks_are_unknown() -> None:
    net = fabric.read(DATA / "ibnetdiscover" / "rails.ibnetdiscover")
    found = fabric.read_port_counters(net, DATA / "counters" / "perfquery.txt")
    assert (found.bytes >= 0).any()
    assert (found.waits == -1).all()
    assert (found.symbol_errors == -1).all()


def test_the_command_shows_causes_residuals_and_a_verdict(cli, tmp_path: Path) -> None:
    recording, table = tmp_path / "run.json", tmp_path / "out.json"
    trace.save(two_ranks(1.0, start=3.0), recording)
    job = ("simulate", "direct-send", "--net", "crossbar:2", "--size", "10x10", "--bandwidth", 0.001)
    flow = (*job, "--method", "flow", "--routing", "minhop")
    status, out, _ = cli(*flow, "--recorded", recording, "--json", table)
    assert status == 0
    assert "rank 1 called 3,000 ms after the others, which waited for it: the network is not the cause" in out
    told = json.loads(table.read_text())["recorded"]
    assert not told["network_is_cause"]
    assert told["frames"][0]["cause"] == "start"
    assert told["messages"][0]["residual"] == pytest.approx(0, abs=1e-6)

    for options, why in (
        (("--counters", recording), "give --recorded too"),
        (("--recorded", recording, "--counters", recording), "1 given; give two"),
        (("--recorded", recording, "--beside", "3M@100"), "leave --beside out"),
    ):
        status, _, usage = cli(*flow, *options)
        assert status == 2
        assert why in usage
    assert "name an engine with --routing" in refused(cli(*job, "--recorded", recording))
    three = ("simulate", "direct-send", "--net", "crossbar:3", "--size", "10x10", "--method", "flow")
    assert "has 2 ranks, and 3 are simulated" in refused(cli(*three, "--recorded", recording))
