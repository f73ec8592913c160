"""``sortlast simulate``: what it says, writes and refuses."""

from __future__ import annotations

import json
import re

import pytest

from refusals import refused
from sortlast import fabric, schedule, simulate

TREE = ("--net", "k-ary-n-tree:4,2")


def loaded(path):
    return json.loads(path.read_text())


def simulated(cli, tmp_path, *options):
    """The JSON of a run, after a look at how it ended."""
    path = tmp_path / "run.json"
    status, out, err = cli("simulate", *options, "--json", path)
    assert (status, err) == (0, "")
    assert f"wrote {path}" in out
    return loaded(path)


# --- the run ----------------------------------------------------------------------------------------------


def test_it_says_what_python_finds(cli, tmp_path):
    told = simulated(cli, tmp_path, "BU", "--net", "thin-tree:4,2,3", "--bytes", 500, "--seed", 5)
    f = fabric.thin_tree(4, 2, 3)
    run = simulate.packet(f, simulate.pattern("BU", 64, 500), seed=5)
    assert (told["cycles"], told["packets"], told["packet_hops"]) == (
        run.cycles,
        run.packets,
        run.packet_hops,
    )
    assert (told["tasks"], told["messages"], told["bytes"]) == (64, 384, 192000)
    assert (told["routing"], told["order"], told["fabric"]) == ("adaptive", "routing", f.name)
    assert told["seconds"] == run.seconds
    assert told["bytes_per_second"] == pytest.approx(3000 / run.seconds)
    assert told["frames_per_second"] is None
    delay = told["delay"]
    assert (delay["mean"], delay["median"]) == (run.mean_delay, run.delay_percentile(50))
    assert sum(row["mean"] * row["links"] for row in told["links"]) == pytest.approx(run.packet_hops)
    for row in told["links"]:
        assert row["busy_max"] == pytest.approx(16 * row["max"] / run.cycles)


def test_a_schedule_is_a_frame(cli, tmp_path):
    told = simulated(cli, tmp_path, "radix-k:4,4", *TREE, "--size", "64x32", "--set", "pixel_bytes=4")
    made = schedule.make("radix-k:4,4", p=16, n=64 * 32)
    run = simulate.packet(
        fabric.k_ary_n_tree(4, 2), simulate.frame_traffic(made, pixel_bytes=4, rendezvous=False)
    )
    assert told["cycles"] == run.cycles
    assert told["frames_per_second"] == pytest.approx(1 / run.seconds)


def test_stages_messages_and_packets_are_as_asked_for(cli, tmp_path):
    told = simulated(cli, tmp_path, "shift", *TREE, "--stages", "2:4", "--bytes", 1600)
    assert (told["messages"], told["packets"]) == (32, 64)
    sizes = "packet_bytes=256,packet_phits=64"
    told = simulated(cli, tmp_path, "shift", *TREE, "--set", sizes, "--bandwidth", 100)
    assert (told["messages"], told["packets"]) == (240, 960)
    assert told["seconds"] == pytest.approx(told["cycles"] * 4 / 100e6)
    told = simulated(cli, tmp_path, "uniform", *TREE, "--messages", 3, "--ranks", 5)
    assert told["messages"] == 15
    settings = ("buffer_packets=2,injection_packets=3", "arbitration=round-robin,ties=fsin")
    told = simulated(cli, tmp_path, "uniform", *TREE, "--set", settings[0], "--set", settings[1])
    f, t = fabric.k_ary_n_tree(4, 2), simulate.uniform(16, 1000, 10, 17)
    run = simulate.packet(f, t, buffer_packets=2, injection_packets=3, arbitration="round-robin", ties="fsin")
    assert told["cycles"] == run.cycles
    told = simulated(cli, tmp_path, "uniform", *TREE, "--set", "requests=persistent,switch_cycles=4")
    assert told["cycles"] == simulate.packet(f, t, requests="persistent", switch_cycles=4).cycles
    assert told["cycles"] != simulate.packet(f, t, switch_cycles=4).cycles


def test_tasks_go_where_the_nodes_and_the_order_say(cli, tmp_path):
    """Four neighbours in one leaf use no link above it; spread over leaves, they do."""
    options = ("all-to-all", *TREE, "--ranks", 4, "--bytes", 256)
    above = {}
    for name, place in {
        "leaf": ("--nodes", "host[00004-00007]"),
        "across": ("--nodes", "host[00006-00009]"),
        "named": ("--nodes", "host[00001,00005,00009,00013]"),
        "random": ("--order", "random", "--seed", 3),
    }.items():
        told = simulated(cli, tmp_path, *options, *place)
        above[name] = sum(row["links"] * row["mean"] for row in told["links"] if "2" in row["class"])
    assert above["leaf"] == 0
    assert above["across"] == 2 * 2 * 2 * 2
    assert above["named"] == 2 * 12
    assert above["random"] > 0


def test_tables_of_a_file_are_used(cli, tmp_path):
    net, tables = tmp_path / "net.txt", tmp_path / "tables.lfts"
    cut = ("--net", "k-ary-n-tree:4,2", "--without", "sw-L1-0000:5", "--format", "ibnetdiscover")
    assert cli("fabric", "build", *cut, "--output", net)[0] == 0
    assert cli("fabric", "route", "--net", net, "--engine", "updn", "--output", tables)[0] == 0
    from_file = simulated(cli, tmp_path, "BU", "--net", net, "--lft", tables)
    from_engine = simulated(cli, tmp_path, "BU", "--net", net, "--routing", "updn")
    assert from_file["cycles"] == from_engine["cycles"]
    assert (str(tables) in from_file["routing"], from_engine["routing"]) == (True, "updn")
    levels = {row["class"]: row["links"] for row in from_file["links"]}
    assert levels["level 1 to level 2"] == levels["level 2 to level 1"] == 15


@pytest.mark.parametrize("write", ["to_goal", "to_fsin"])
def test_traffic_is_read_from_files(cli, tmp_path, write):
    t = simulate.pattern("2M", 16, 300)
    path = tmp_path / "traffic.txt"
    path.write_text(getattr(t, write)())
    told = simulated(cli, tmp_path, path, *TREE)
    assert told["cycles"] == simulate.packet(fabric.k_ary_n_tree(4, 2), t).cycles
    assert (told["traffic"], told["messages"]) == (str(path), t.messages)


@pytest.mark.parametrize("method", ["packet", "flow"])
@pytest.mark.parametrize("form", ["goal", "fsin"])
def test_traffic_of_more_bytes_than_can_be_counted_is_refused(cli, tmp_path, form, method):
    size = 5 * 10**18
    texts = {
        "goal": "num_ranks 2\n"
        f"rank 0 {{\na: send {size}b to 1\nb: recv {size}b from 1\n}}\n"
        f"rank 1 {{\na: send {size}b to 0\nb: recv {size}b from 0\n}}\n",
        "fsin": f"s 0 1 0 {size}\ns 1 0 0 {size}\n",
    }
    path = tmp_path / f"big.{form}"
    path.write_text(texts[form])
    message = refused(cli("simulate", path, *TREE, "--method", method))
    assert f"{path}': with message 1 of task 1 ({size} bytes) there are more than 2^63 - 1 bytes" in message


def test_traffic_that_waits_for_ever_ends_with_the_cycle_of_waits(cli):
    options = ("shift", "--net", "torus:5", "--stages", "2:3", "--bytes", 32000)
    assert "deadlock: the buffers of 5 links" in refused(cli("simulate", *options))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("4W", *TREE), "the patterns are 2W, 3W, 2M, 3M, BU, BT, WF, all-to-all, shift, uniform, ring,"),
        (("radix-k:4,4", *TREE), "give its size, such as --size 1024x768"),
        (("BU", "--net", "k-ary-n-tree:3,2"), "power of two"),
        (("BU", *TREE, "--ranks", 32), "has 32 tasks, and there are 16 hosts"),
        (("BU", "--net", "rings:4"), "there is no such file, nor a family of this name"),
        (("BU", *TREE, "--routing", "warp"), "warp"),
        (("BU", *TREE, "--order", "routing-dummies", "--nodes", "host[00000-00005]"), "without dummies"),
        (("BU", *TREE, "--draw", "x.jpg"), "the suffix must be one of png, svg, pdf"),
        (("BU", *TREE, "--json", "/dev/null/x.json"), "choose another place"),
        (("all-to-all", "--net", "crossbar:800", "--trace", "t.json"), "639,200 messages are more than"),
    ],
)
def test_wrong_input_is_refused_in_a_line(cli, options, message):
    assert message in refused(cli("simulate", *options))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("BU", "--stages", "1:2"), "BU has none"),
        (("BU", "--messages", "3"), "BU has none"),
        (("binary-swap", "--size", "8x8", "--bytes", "3"), "compositing of an image"),
        (("shift", "--stages", "1-2"), "is not FIRST:LAST"),
        (("shift", "--size", "1024"), "is not WIDTHxHEIGHT"),
        (("shift", "--size", "0x0"), "0x0 has no pixels"),
        (("shift", "--size", "9999999999x9999999999"), "more than 1,099,511,627,776 pixels"),
        (("BU", "--lft", "x", "--routing", "ftree"), "leave --routing out"),
        (("BU", "--bandwidth", "0"), "greater than or equal to 0.001"),
        (("BU", "--trace", "x.txt"), "does not end in .json"),
        (("BU", "--set", "packet_bytes=2147483648"), "packet_bytes=2147483648 is above 2,147,483,647"),
        (("BU", "--set", "packet_bytes"), "'packet_bytes' is not NAME=VALUE"),
        (("BU", "--set", "lanes=2", "--set", "lanes=3"), "lanes is given twice"),
        (("BU", "--set", "lanes=few"), "lanes=few; expected a whole number"),
        (("BU", "--set", "background=half"), "background=half; expected a number"),
        (("shift", "--size", "8x8", "--set", "overlap=maybe"), "overlap=maybe; expected yes or no"),
        (
            ("BU", "--set", "phits=4"),
            "phits is no setting of --method packet; known are packet_bytes, packet",
        ),
        (("BU", "--seed", 10**30), "less than or equal to 9223372036854775807"),
    ],
)
def test_options_that_do_not_fit_are_usage_errors(cli, monkeypatch, options, message):
    monkeypatch.setenv("COLUMNS", "200")
    status, out, err = cli("simulate", *TREE, *options)
    assert (status, out) == (2, "")
    assert message in err


# --- pictures and traces ----------------------------------------------------------------------------------


def test_a_picture_and_a_trace_are_written(cli, tmp_path):
    files = [tmp_path / name for name in ("links.png", "trace.json")]
    status, out, _ = cli("simulate", "2M", *TREE, "--draw", files[0], "--trace", files[1])
    assert status == 0
    for path, start in zip(files, (b"\x89PNG", b'{"displayTimeUnit"'), strict=True):
        assert f"wrote {path}" in out
        assert path.read_bytes().startswith(start)
    events = loaded(files[1])["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    t = simulate.pattern("2M", 16, 1000)
    assert len(slices) == 2 * t.messages
    assert sum(event["ph"] == "s" for event in events) == t.messages
    assert {event["args"]["bytes"] for event in slices} == {1000}
    assert {event["pid"] for event in slices} == set(range(16))


# --- flows and frames -------------------------------------------------------------------------------------


def test_flows_are_those_of_python(cli, tmp_path):
    told = simulated(
        cli, tmp_path, "shift", *TREE, "--method", "flow", "--bytes", "16M", "--routing", "minhop"
    )
    f = fabric.route(fabric.k_ary_n_tree(4, 2), "minhop")
    run = simulate.flow(f, simulate.shift(16, 10**6, 1, 16))
    assert (told["method"], told["routing"], told["seconds"]) == ("flow", "minhop", run.seconds)
    assert told["seconds"] == pytest.approx(15 * 10**6 / 1.25e9)
    assert told["bytes_per_second"] == pytest.approx(1.25e9)
    assert sum(row["mean"] * row["links"] for row in told["links"]) == pytest.approx(run.channel_bytes.sum())
    assert told["links"][0]["busy_mean"] == pytest.approx(1)
    assert simulated(cli, tmp_path, "BU", *TREE, "--method", "flow")["routing"] == "ftree"
    slow = simulated(cli, tmp_path, "shift", *TREE, "--method", "flow", "--set", "message_seconds=1e-3")
    assert slow["seconds"] == pytest.approx(15 * (1e-3 + 1000 / 1.25e9))


@pytest.mark.parametrize("overlap", ["yes", "no"])
def test_a_frame_is_that_of_python(cli, tmp_path, overlap):
    given = f"blend_bytes_per_second=4e9,stage_seconds=1e-5,active=0.5,overlap={overlap}"
    options = ("--size", "256x256", "--set", given)
    told = simulated(cli, tmp_path, "shift", *TREE, "--method", "flow", *options)
    made = schedule.make("shift", p=16, n=256 * 256)
    settings = {
        "active": 0.5,
        "blend_bytes_per_second": 4e9,
        "overlap": overlap == "yes",
        "stage_seconds": 1e-5,
    }
    frame = simulate.frame(fabric.k_ary_n_tree(4, 2), made, **settings)
    assert told["frames_per_second"] == frame.frames_per_second > 0
    assert told["hidden"] == frame.hidden
    assert (told["hidden"] > 0) == (overlap == "yes")
    status, out, _ = cli("simulate", "shift", *TREE, "--method", "flow", *options)
    assert status == 0
    assert f"{frame.hidden:.1%} of it hidden behind messages" in out

    # Packets carry the same traffic, but that nobody waits for a receiver.
    by_packets = simulated(cli, tmp_path, "shift", *TREE, "--routing", "ftree", *options)
    traffic = simulate.frame_traffic(made, rendezvous=False, **settings)
    run = simulate.packet(fabric.k_ary_n_tree(4, 2), traffic, routing="ftree")
    assert by_packets["cycles"] == run.cycles
    # With overlap two stages share a link: flows fairly, packets in turn, which hides more of a stage's cost.
    flows = simulate.flow(fabric.k_ary_n_tree(4, 2), traffic, sends_at_once=0)
    assert by_packets["seconds"] == pytest.approx(flows.seconds, rel=0.2 if settings["overlap"] else 0.01)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("BU", "--method", "flow", "--set", "lanes=4"), "lanes is no setting of --method flow"),
        (("BU", "--method", "flow", "--routing", "ugal"), "no routing engine 'ugal'"),
        (("BU", "--set", "sends_at_once=2"), "sends_at_once is no setting of --method packet"),
        (("BU", "--set", "overlap=no"), "overlap is of frames, which need --size"),
    ],
)
def test_options_of_the_other_method_are_refused(cli, monkeypatch, options, message):
    monkeypatch.setenv("COLUMNS", "200")
    status, out, err = cli("simulate", *TREE, *options)
    assert (status, out) == (2, "")
    assert message in err


# --- several counts of ranks ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "expected"),
    [("4:7", [4, 5, 6, 7]), ("2:16:5", [2, 7, 12]), ("2:16:x2", [2, 4, 8, 16]), ("3:3", [3])],
)
def test_a_sweep_is_a_table_of_the_runs(cli, tmp_path, counts, expected):
    told = simulated(cli, tmp_path, "shift", *TREE, "--ranks", counts, "--seed", 3)
    assert [row["tasks"] for row in told["runs"]] == expected
    out = cli("simulate", "shift", *TREE, "--ranks", counts, "--seed", 3)[1]
    f = fabric.k_ary_n_tree(4, 2)
    for row in told["runs"]:
        run = simulate.packet(f, simulate.shift(row["tasks"], 1000, 1, row["tasks"]), seed=3)
        assert (row["cycles"], row["seconds"], row["messages"]) == (run.cycles, run.seconds, run.messages)
        assert re.search(rf"^ *{row['tasks']} +{run.messages:,} ", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--ranks", "5:4"), "counts of ranks rise"),
        (("--ranks", "0"), "counts of ranks rise"),
        (("--ranks", "a:b"), "is not a number, FIRST:LAST"),
        (("--ranks", "2:8:x1"), "x2 or more"),
        (("--ranks", "2:8:0"), "step has to be 1 or more"),
        (("--ranks", "1:999999999"), "at most 10,000"),
        (("--ranks", "2:17"), "17 ranks do not fit"),
        (("--ranks", "2:4", "--trace", "t.json"), "is of one run"),
    ],
)
def test_a_sweep_refuses_what_is_none(cli, options, message):
    status, _, err = cli("simulate", "shift", *TREE, *options)
    assert status == 2
    assert message in " ".join(re.sub("[│╭╮╰╯─]", " ", err).split())


def test_packets_and_flows_need_a_network(cli):
    status, _, err = cli("simulate", "BU", "--ranks", 8)
    assert status == 2
    assert "name a fabric, or take --method loggops" in err


def test_a_sweep_is_drawn(cli, tmp_path):
    path = tmp_path / "sweep.svg"
    status, out, _ = cli("simulate", "shift", *TREE, "--ranks", "2:8:x2", "--draw", path)
    assert status == 0
    assert f"wrote {path}" in out
    assert path.read_text().count("<svg") == 1
