"""Fabrics of network namespaces: their routes, what is said of them, and that nothing of them is left."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import references
from processes import wait_until
from sortlast import ArgumentError, Error, fabric
from sortlast.bandwidth import Bandwidths
from sortlast_testbed import Measured, Settings, Testbed, names, namespaces, plan, remove

needs_root = references.NAMESPACES

SMALL = Settings("k-ary-n-tree:2,2", engine="d-mod-k", rate_mbit=20)

# Makes a testbed, says so, and waits to be killed.
HOLD = """
import time
from sortlast_testbed import Settings, Testbed
with Testbed(Settings("k-ary-n-tree:2,2")) as testbed:
    print(testbed.prefix, flush=True)
    time.sleep(60)
"""


def spaces_of(prefix):
    return [name for name in namespaces.listed() if name.startswith(prefix)]


# --- what is planned --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "net", ["k-ary-n-tree:4,2", "xgft:3,4;1,2", "pgft:4,3;1,2;1,2", "crossbar:5", "torus:3,3"]
)
@pytest.mark.parametrize("engine", ["minhop", "random"])
def test_routes_of_the_namespaces_lead_where_the_tables_say(net, engine):
    """Follow the routes and cables of the plan from host to host, and compare with the walks of the lab."""
    routes = fabric.route(fabric.make_topology(net), engine, seed=3)
    planned = plan.make(routes)
    cables = {}
    for cable in planned.cables:
        cables[cable.a], cables[cable.b] = cable.b, cable.a
    forward = [{} for _ in planned.names]
    for vertex in range(planned.hosts, len(planned.names)):
        for line in planned.routes[vertex]:
            _, _, to, _, port = line.split()
            forward[vertex][to] = port
    leaves_by = plan.channel_interfaces(routes.topology)

    for source in range(planned.hosts):
        for destination in range(planned.hosts):
            vertex, interface, passed = source, "eth0", []
            while source != destination:
                passed.append((vertex, interface))
                vertex, _ = cables[vertex, interface]
                if vertex == destination:
                    break
                interface = forward[vertex][f"{plan.address(destination)}/32"]
            assert passed == [leaves_by[channel] for channel in routes.walk(source, destination)]


def test_hosts_called_like_switches_get_numbers(tmp_path):
    net = tmp_path / "net.txt"
    net.write_text(
        'Switch 2 "Leaf"\n[1] "switch000"[1]\n[2] "other"[1]\n\n'
        'Hca 1 "switch000"\n[1] "Leaf"[1]\n\nHca 1 "other"\n[1] "Leaf"[2]\n'
    )
    planned = plan.make(fabric.route(fabric.read(str(net)), "minhop"))
    assert planned.names == ["host00000", "host00001", "switch000"]


@pytest.mark.parametrize("name", ["", "1st", "with-dash", "Upper", "a" * 21])
def test_names_that_would_mix_testbeds_up_are_refused(name):
    with pytest.raises(ArgumentError, match="a testbed cannot be called"):
        Testbed(SMALL, name)
    with pytest.raises(ArgumentError, match="a testbed cannot be called"):
        remove(name)


@pytest.mark.parametrize("rate", [0, -1, 1e6, float("nan")])
def test_impossible_rates_are_refused(rate):
    with pytest.raises(ArgumentError, match=r"expected 0\.1 to 10000 Mbit/s"):
        Testbed(Settings(rate_mbit=rate))


@pytest.mark.parametrize("net", ["k-ary-n-tree:24,2", "crossbar:400"])
def test_fabrics_that_are_too_large_are_refused(net):
    with pytest.raises(ArgumentError, match="a testbed has up to 400"):
        Testbed(Settings(net))


def test_tables_of_a_file_take_the_place_of_an_engines(tmp_path):
    """What the switches are told is what the file says, entry by entry."""
    tree = fabric.assign_lids(fabric.make_topology("k-ary-n-tree:3,2"))
    made = fabric.route_for(tree, ["binary-swap"], range(8))
    tables = tmp_path / "made.lfts"
    tables.write_text(fabric.write_lfts(made.routes))
    told = Testbed(Settings("k-ary-n-tree:3,2", lft=str(tables))).routes.table()
    np.testing.assert_array_equal(told[:, : len(tree.hosts)], made.routes.table()[:, : len(tree.hosts)])
    usual = Testbed(Settings("k-ary-n-tree:3,2")).routes.table()
    assert (told != usual).any()
    tables.write_text(tables.read_text().replace("0x", "0y"))
    with pytest.raises(ArgumentError, match=r"made\.lfts:1: expected"):
        Testbed(Settings("k-ary-n-tree:3,2", lft=str(tables)))


# --- what is said of a measurement ------------------------------------------------------------------------


def told(measured, predicted, flows, predicted_flows):
    names = [f"host{rank}" for rank in range(len(measured))]
    return Measured(
        hosts=list(range(len(measured))),
        bandwidths=Bandwidths(np.array(measured, float), names, 100),
        predicted=Bandwidths(np.array(predicted, float), names, 100),
        flows=np.array(flows, float),
        predicted_flows=np.array(predicted_flows, np.int32),
        link_bandwidth=100.0,
        dropped=0,
    )


def test_contended_pairs_and_their_agreement():
    found = told(
        [[0, 98, 55], [70, 0, 101], [99, 74, 0]],
        [[0, 100, 50], [50, 0, 100], [100, 100, 0]],
        [[1.02, 0.03, 2.6], [1, 0, 0.4]],
        [[1, 0, 2], [1, 0, 0]],
    )
    assert found.contended_measured == {(0, 2), (1, 0), (2, 1)}
    assert found.contended_predicted == {(0, 2), (1, 0)}
    assert found.flows_differ == 1
    assert found.overhead == pytest.approx(0.6)
    # Ranks 4 1 2 6 5 3 of the measured, 4.5 1.5 1.5 4.5 4.5 4.5 of the predicted.
    expected = np.corrcoef([4, 1, 2, 6, 5, 3], [4.5, 1.5, 1.5, 4.5, 4.5, 4.5])[0, 1]
    assert found.rank_correlation == pytest.approx(expected)


def test_pairs_that_send_to_each_other_at_once_are_not_compared():
    measured = np.full((4, 4), 100.0)
    measured[0, 2] = 50
    found = told(measured, np.full((4, 4), 100.0), [[1]], [[1]])
    assert found.mutual == {(0, 2), (1, 3), (2, 0), (3, 1)}
    assert found.contended_measured == set()
    assert found.rank_correlation is None


# --- namespaces -------------------------------------------------------------------------------------------


@needs_root
def test_a_testbed_is_made_again_and_removed():
    testbed = Testbed(SMALL, "testmade")
    try:
        testbed.make()
        assert sorted(spaces_of(testbed.prefix)) == sorted(testbed.spaces)
        assert Testbed.found("testmade").settings == SMALL
        testbed.make()
        assert len(testbed.spaces) == 4 + 4
    finally:
        removed = remove("testmade")
    assert len(removed) == 8
    assert spaces_of(testbed.prefix) == []
    assert remove("testmade") == []
    with pytest.raises(
        Error, match="no testbed 'testmade' is up; make it with python -m sortlast_testbed up"
    ):
        Testbed.found("testmade")


@needs_root
def test_a_failure_while_making_removes_all(monkeypatch, tmp_path):
    """A tc that refuses is called when all namespaces and cables are there, and then nothing goes on."""
    seen, refusing = tmp_path / "seen", tmp_path / "tc"
    refusing.write_text(f"#!/bin/sh\nip netns list >{seen}\necho not today >&2\nexit 1\n")
    refusing.chmod(0o755)
    testbed = Testbed(SMALL)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
        with pytest.raises(Error, match=r"^tc .* failed: not today$"):
            testbed.make()
    assert set(testbed.spaces) <= set(seen.read_text().split())
    assert spaces_of(testbed.prefix) == []


@needs_root
def test_what_a_crash_left_is_removed_without_any_state():
    """A namespace that no file tells of, with a process in it, as after a crash while it was made."""
    space = names.prefix("testcrash") + "host00000"
    namespaces.call("ip", "netns", "add", space)
    process = subprocess.Popen(["ip", "netns", "exec", space, "sleep", "60"])
    deadline = time.monotonic() + 20
    while not namespaces.processes(space):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    try:
        command = [sys.executable, "-m", "sortlast_testbed", "down", "--name", "testcrash"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    finally:
        remove("testcrash")
    assert (done.returncode, done.stdout) == (0, "removed 1 namespace\n")
    assert process.wait(timeout=20) == -signal.SIGKILL


@needs_root
def test_what_nobody_removed_goes_with_the_next():
    """Two names of processes that have ended, one of which has another's number again."""
    gone = names.prefix("4000000t1n1"), names.prefix(f"{os.getpid()}t1n0")
    for prefix in gone:
        namespaces.call("ip", "netns", "add", prefix + "host00000")
    with Testbed(SMALL) as other:
        assert [space for prefix in gone for space in spaces_of(prefix)] == []
        assert len(spaces_of(other.prefix)) == 8


@needs_root
def test_a_testbed_of_a_process_that_runs_is_removed_by_no_other():
    hold = HOLD.replace('2,2")', '2,2"), "testheld"')
    with subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE, text=True) as process:
        prefix = process.stdout.readline().strip()
        for attempt in (lambda: remove("testheld"), Testbed(SMALL, "testheld").make):
            with pytest.raises(Error, match=f"'testheld' is in use by process {process.pid}; end that"):
                attempt()
        assert len(spaces_of(prefix)) == 8
        process.kill()
    wait_until(lambda: not spaces_of(prefix))
    assert remove("testheld") == []


@needs_root
def test_what_removes_a_testbed_imports_nothing_from_the_current_folder(tmp_path):
    script, here = tmp_path / "hold.py", tmp_path / "here"
    script.write_text(HOLD)
    here.mkdir()
    for name in ("numpy", "sortlast", "sortlast_testbed"):
        (here / f"{name}.py").write_text("raise SystemExit('planted')")
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=here) as process:
        prefix = process.stdout.readline().strip()
        process.kill()
    try:
        assert prefix
        wait_until(lambda: not spaces_of(prefix))
    finally:
        namespaces.remove(prefix)


@needs_root
def test_containers_leave_each_others_testbeds_alone():
    """They share the folder of network namespaces, and see none of each other's processes."""
    code = HOLD.replace("time.sleep(60)", "").replace('2,2")', '2,2"), "testshared"')
    contained = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable, "-c", code]
    with Testbed(SMALL, "testshared") as here, Testbed(SMALL) as own:
        done = subprocess.run(contained, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done
        theirs = done.stdout.strip()
        assert theirs not in (here.prefix, own.prefix)
        assert len(spaces_of(here.prefix)) == len(spaces_of(own.prefix)) == 8
    assert spaces_of(theirs) == []


@pytest.mark.skipif(
    os.geteuid() == 0 and shutil.which("setpriv") is None, reason="no setpriv to drop root with"
)
def test_a_user_other_than_root_is_refused(testbed_cli, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 65534)
    status, _, errors = testbed_cli("up")
    assert status == 2
    assert "need root; run as root" in errors


@needs_root
def test_a_missing_tc_is_told_and_leaves_nothing(monkeypatch, tmp_path):
    for command in ("ip", "unshare"):
        path = shutil.which(command)
        (tmp_path / command).symlink_to(path)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path))
        with pytest.raises(Error, match="need tc; install iproute2"):
            Testbed(SMALL).make()
