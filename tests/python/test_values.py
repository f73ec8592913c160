"""Plain values go through pickle and show themselves; parts of the package are imported when used."""

from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import mpirun
from sortlast import Timing, _core, _fabric, _simulate, fabric, schedule, simulate, tune


def of_the_core():
    parts: list[schedule.Part] = []

    @schedule.register("one-rank")
    def one_rank(b: schedule.Builder) -> None:
        parts.append(b.image(0))
        b.finish(parts[-1])

    schedule.make("one-rank", 1, 100)
    made = schedule.make("radix-k:2,3", 6, 100, order=[5, 4, 3, 2, 1, 0])
    program = made.program(2)
    return [
        made,
        program,
        program.values[0],
        program.sends[0],
        program.receives[0],
        program.merges[0],
        made.stages()[0][0],
        schedule.price(made),
        schedule.Machine(alpha=3e-6, ranks=4),
        schedule.choose(6, 100)[0],
        schedule.algorithms()[0],
        parts[0],
        tune.Report(schedule.Machine(cores=2), schedule.Machine(), schedule.Machine(), ["alpha"], 4, False),
    ]


def slow_link():
    """A link at a quarter of the rate of the others on its switch."""
    text = fabric.write_ibnetdiscover(fabric.assign_lids(fabric.k_ary_n_tree(4, 2)))
    lines = [f"{line} 4xEDR" if line.startswith("[") else line for line in text.splitlines()]
    up = next(i for i, line in enumerate(lines) if line.startswith("[5]"))
    lines[up] = lines[up].replace("4xEDR", "1xEDR")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "net.txt")
        path.write_text("\n".join(lines) + "\n")
        return fabric.read(path).slow_links()[0]


def of_the_fabric():
    tree = fabric.make_topology("pgft:2,2;1,2;1,1")
    routes = fabric.route(tree, "ftree")
    return [
        tree.hosts[3],
        tree.switches[1],
        tree.links[2],
        tree.shape,
        fabric.slender_tree(4, 2, 2).shape,
        fabric.torus([3, 4]).shape,
        fabric.dragonfly(1, 2, 1, 3).shape,
        fabric.dragonfly_plus(1, 2, 1, 2, 3).shape,
        fabric.hyperx([3, 2]).shape,
        tree.rank_switches(),
        tree.without_links([tree.links[5].channel]).missing_links()[0],
        fabric.engines()[0],
        fabric.families()[0],
        fabric.collectives()[0],
        fabric.GroupKind("tensor", 8, "ring", 2**30),
        fabric.bisection(routes, 10),
        fabric.spread_contention(fabric.spread(tree)),
        fabric.pattern_time(routes, "shift", link_bytes_per_second=1e9),
        fabric.find_nodes(tree)[0],
        fabric.find_nodes(tree)[0].adapters[0],
        _fabric.read_hostfile(tree, "host00001:4", "list")[0],
        fabric.single_failures(tree, "ftree", link_bytes_per_second=1e9)[0],
        slow_link(),
        _fabric.SlurmLine("topology.conf", 3, [("switchname", "s0")]),
        _fabric.NodeRecord("leaf", "leaf 1", 7, True, 3),
        _fabric.CableRecord("leaf", 1, "n01", 1, 400.0, 3),
    ]


def of_the_simulators():
    tree = fabric.make_topology("pgft:2,2;1,2;1,1")
    routes = fabric.route(tree, "ftree")
    traffic = simulate.from_schedule(schedule.make("binary-swap", 4, 1000))
    shift = schedule.make("shift", 4, 1000)
    return [
        traffic,
        simulate.flow(routes, traffic, message_log=True),
        simulate.packet(tree, traffic, sample_cycles=5, message_log=True),
        simulate.load(tree, 0.5, routing="ar-updn", measured=100),
        simulate.frame(routes, shift, blend_bytes_per_second=1e9),
        simulate.loggops(traffic),
        _simulate.program_of(traffic),
    ]


def examples():
    return [*of_the_core(), *of_the_fabric(), *of_the_simulators()]


# Not plain: they hold a whole fabric or memory of a GPU, or are only asked and made anew.
OTHERS = {
    "Builder",
    "Topology",
    "Hosts",
    "Switches",
    "Links",
    "Routes",
    "Pattern",
    "Contention",
    "BestOrder",
    "TableSearch",
    "DeviceArray",
}
OTHERS |= {"FlowOptions", "PacketOptions", "LaneOptions", "LaneRoutes", "CompositingOptions", "Spreading"}


@pytest.mark.parametrize("value", examples(), ids=lambda value: type(value).__name__)
def test_a_value_comes_back_from_a_pickle(value):
    again = pickle.loads(pickle.dumps(value))
    assert type(again) is type(value)
    assert repr(again) == repr(value)
    assert " at 0x" not in repr(value)
    for name in dir(type(value)):
        member = getattr(value, name)
        if not name.startswith("_") and not callable(member):
            assert_same(getattr(again, name), member)


def assert_same(again, member):
    """Equal, whatever it is; of a value without equality, the same to read."""
    if isinstance(member, np.ndarray):
        np.testing.assert_array_equal(again, member)
    else:
        assert repr(again) == repr(member)


def test_a_pickle_of_another_version_is_refused():
    for value in [*of_the_core()[1:-1], *of_the_fabric(), *of_the_simulators()]:
        with pytest.raises(ValueError, match="another version"):
            type(value).__new__(type(value)).__setstate__((b"",))


def test_every_class_is_among_the_values_or_the_others():
    events = {"Event"}  # of a frame, see below
    classes = {
        name
        for module in (_core, _fabric, _simulate)
        for name, each in vars(module).items()
        if isinstance(each, type) and each.__module__ == module.__name__
    }
    assert classes == {type(value).__name__ for value in examples()} - {"Report"} | events | OTHERS


def test_the_repr_shows_every_member():
    timing = schedule.price(schedule.make("shift", 4, 1000))
    members = [name for name in dir(Timing) if not name.startswith("_")]
    assert "late" in members
    for name in members:
        assert f"{name}={getattr(timing, name)!r}" in repr(timing)


@pytest.mark.mpi
@pytest.mark.family
def test_timings_and_events_of_a_frame_are_pickled():
    reports = mpirun.reports(
        3,
        """
        import pickle
        import numpy as np, sortlast
        with sortlast.Compositor(comm, node_ranks=1) as comp:
            with comp.trace() as events:
                comp.composite(np.ones((20, 30, 4), np.float32))
            gathered = comm.gather((comp.timing, events))
            if rank == 0:
                assert repr(gathered[0]) == repr((comp.timing, events))
                report([len(events) for _, events in gathered])
        """,
    )
    assert all(count > 0 for count in reports[0])


def run(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_parts_are_imported_when_they_are_used():
    loaded = "[name for name in sys.modules if name.startswith('sortlast.fabric')]"
    use = "sortlast.fabric.make_topology('rlft:4,2').hosts"
    code = f"import sys, sortlast; print({loaded}); print({use}); print({loaded} != [])"
    first, hosts, last = run(code).splitlines()
    assert (first, last) == ("[]", "True")
    assert hosts


def test_a_part_that_there_is_not_is_an_attribute_error():
    assert (
        run("import sortlast; print(hasattr(sortlast, 'fabrics'), 'fabric' in dir(sortlast))") == "False True"
    )


def test_importing_changes_no_environment():
    code = """
import os
before = dict(os.environ, MPI_LOCALNRANKS="64")
os.environ.update(before)
import sortlast
print(dict(os.environ) == before)
"""
    assert run(code) == "True"
