"""Barriers as one interface, the parallel port, and the wire of gates beside its Verilog module."""

from __future__ import annotations

import random
import re
import subprocess
from importlib.resources import files

import pytest

import mpirun
from sortlast import Error
from sortlast_studies.hardware_barrier import port
from sortlast_studies.hardware_barrier.paper import PAPER
from sortlast_studies.hardware_barrier.wire import Delays, Drive, simulate

BARRIERS = ["mpi", "dissemination", "tree", "flags", "port"]


# --- barriers -----------------------------------------------------------------------------------------


@pytest.mark.mpi
@pytest.mark.parametrize("p", [1, 2, 3, 5])
def test_nobody_leaves_a_barrier_before_all_have_come(p):
    """Each rank counts up before it waits, and looks at the counts of all after that."""
    reports = mpirun.reports(
        p,
        f"""
        import random, time
        from sortlast_studies.hardware_barrier.barriers import BARRIERS
        from sortlast_studies.hardware_barrier.shared import Registers

        assert list(BARRIERS) == {BARRIERS}
        late = random.Random(rank)
        counts = Registers(comm, size)
        early = {{}}
        for name, make in BARRIERS.items():
            barrier = make(comm)
            early[name] = 0
            for turn in range(1, 31):
                if late.random() < 0.2:
                    time.sleep(2e-3 * late.random())
                counts.synchronise()
                counts.values[rank] = turn
                counts.synchronise()
                barrier.wait()
                counts.synchronise()
                early[name] += int(counts.values.min() < turn)
            barrier.close()
            comm.Barrier()
            counts.values[rank] = 0
            counts.synchronise()
            comm.Barrier()
        counts.close()
        report(early)
        """,
    )
    assert reports == [dict.fromkeys(BARRIERS, 0)] * p


@pytest.mark.mpi
@pytest.mark.parametrize(("kind", "message"), [("flags", "ranks 1 have not arrived"), ("port", "stays low")])
def test_a_barrier_that_somebody_misses_says_so(kind, message):
    reports = mpirun.reports(
        3,
        f"""
        from sortlast import Error
        from sortlast_studies.hardware_barrier.barriers import SharedFlags
        from sortlast_studies.hardware_barrier.port import PortBarrier, SimulatedWire

        flags = {kind!r} == "flags"
        barrier = SharedFlags(comm, 0.2) if flags else PortBarrier(SimulatedWire(comm), limit=0.2)
        comm.Barrier()
        said = ""
        if rank != 1:
            try:
                barrier.wait()
            except Error as error:
                said = str(error)
        report(said)
        """,
    )
    first, missing, last = reports
    assert missing == ""
    assert message in first
    assert message in last


@pytest.mark.mpi
def test_the_simulated_wire_takes_its_delay():
    """On a wire of 50 ms no barrier is over before that, on either edge."""
    reports = mpirun.reports(
        2,
        """
        import time
        from sortlast_studies.hardware_barrier.port import PortBarrier, SimulatedWire

        barrier = PortBarrier(SimulatedWire(comm, delay=50_000_000))
        comm.Barrier()
        times = []
        for _ in range(3):
            comm.Barrier()
            begin = time.monotonic()
            barrier.wait()
            times.append(time.monotonic() - begin)
        barrier.close()
        report(times)
        """,
    )
    # The clock of one rank may begin after the other's line has changed, so its own share may be less.
    assert all(max(times) >= 0.05 for times in zip(*reports, strict=True))


def test_the_numbers_of_ppdev_are_those_of_the_kernel_header(tmp_path):
    names = ["PPRSTATUS", "PPWDATA", "PPCLAIM", "PPRELEASE", "PPEXCL"]
    prints = "\n".join(f'printf("%lu\\n", (unsigned long){name});' for name in names)
    source = tmp_path / "numbers.c"
    source.write_text(
        "#include <stdio.h>\n#include <sys/ioctl.h>\n#include <linux/ppdev.h>\n#include <linux/parport.h>\n"
        f'int main(void) {{ {prints} printf("%d\\n", PARPORT_STATUS_ACK); }}'
    )
    subprocess.run(["cc", str(source), "-o", str(tmp_path / "numbers")], check=True)
    printed = subprocess.run([str(tmp_path / "numbers")], capture_output=True, text=True, check=True).stdout
    assert [int(line) for line in printed.split()] == [
        *(getattr(port, name) for name in names),
        port.STATUS_ACK,
    ]


def test_what_is_no_parallel_port_is_refused(tmp_path):
    with pytest.raises(Error, match=r"cannot open the parallel port .*modprobe ppdev"):
        port.ParallelPort(tmp_path / "parport0")
    plain = tmp_path / "plain"
    plain.touch()
    with pytest.raises(Error, match=r"plain refuses ioctl 0x708f.*is it a device of ppdev"):
        port.ParallelPort(plain)


# --- the wire -----------------------------------------------------------------------------------------


def arrivals(nodes, barriers, seed):
    """Drives of nodes that come to some barriers at random, each after the last has opened."""
    draw = random.Random(seed)
    drives, begin = [], 50_000
    for k in range(barriers):
        drives += [Drive(begin + draw.randrange(40_000), node, k % 2 == 0) for node in range(nodes)]
        begin += 40_000 + draw.randrange(22_000, 60_000)
    return drives


@pytest.mark.parametrize("nodes", [1, 2, 9, 64])
def test_the_wire_follows_the_last_node_after_the_published_delay(nodes):
    drives = arrivals(nodes, 6, seed=nodes)
    opened = [edge for edge in simulate(nodes, drives) if edge.net == "q"]
    last = [max(drive.time for drive in drives[k : k + nodes]) for k in range(0, len(drives), nodes)]
    internal, gate, gates = (PAPER.value("Figure 2", name) for name in ("T_Internal", "T_Gates", "gates"))
    rise = round(1e3 * (internal + gates * gate))
    assert rise == Delays.as_published().total(nodes)
    assert rise == round(1e3 * PAPER.value("Figure 2", "9 nodes", "rising"))
    delays = [edge.time - time for edge, time in zip(opened, last, strict=True)]
    assert delays == [rise, rise - 3300] * 3
    assert [edge.high for edge in opened] == [True, False] * 3


def test_gates_of_few_inputs_take_more_levels():
    delays = Delays.as_published()
    totals = [delays.total(nodes, fan_in=8) for nodes in (8, 9, 64, 65, 512, 513)]
    assert totals == [21600, 24900, 24900, 28200, 28200, 31500]


def test_a_pulse_shorter_than_a_gate_leaves_no_trace():
    pulse = [Drive(1000, 0, True), Drive(4000, 0, False)]
    assert simulate(1, pulse) == []
    kept = simulate(1, [Drive(1000, 0, True), Drive(13_000, 0, False)])
    assert {edge.net for edge in kept} == {"set", "reset", "q"}


def test_a_wire_refuses_drives_that_are_not_on_it():
    with pytest.raises(Error, match="expected a node in"):
        simulate(2, [Drive(0, 2, True)])
    with pytest.raises(Error, match="expected at least 1"):
        simulate(0, [])


BENCH = """
`timescale 1ps / 1ps
module bench;
  reg [{top}:0] arrived = 0;
  wire released;
  barrier #(.N({nodes})) wired (.arrived(arrived), .released(released));
  always @(wired.set) if ($time > 45000) $display("%0d set %b", $time, wired.set);
  always @(wired.reset) if ($time > 45000) $display("%0d reset %b", $time, wired.reset);
  always @(released) if ($time > 45000) $display("%0d q %b", $time, released);
  initial begin
    {drives}
    #100000 $finish;
  end
endmodule
"""


@pytest.mark.references("iverilog")
@pytest.mark.parametrize("nodes", [1, 2, 9, 33])
def test_the_verilog_of_the_wire_has_the_same_edges(nodes, tmp_path):
    """Icarus Verilog runs barrier.v on the drives that the simulated gates get."""
    drives = sorted(arrivals(nodes, 5, seed=100 + nodes), key=lambda drive: drive.time)
    times = [0, *(drive.time for drive in drives)]
    lines = [
        f"#{drive.time - before} arrived[{drive.node}] = {int(drive.high)};"
        for before, drive in zip(times, drives, strict=False)
    ]
    bench, program = tmp_path / "bench.v", tmp_path / "bench.vvp"
    bench.write_text(BENCH.format(top=nodes - 1, nodes=nodes, drives="\n    ".join(lines)))
    module = files("sortlast_studies.hardware_barrier").joinpath("barrier.v")
    subprocess.run(["iverilog", "-Wall", "-o", str(program), str(bench), str(module)], check=True)
    printed = subprocess.run(["vvp", "-n", str(program)], capture_output=True, text=True, check=True).stdout
    theirs = re.findall(r"^(\d+) (set|reset|q) ([01])$", printed, re.MULTILINE)
    ours = [(str(edge.time), edge.net, str(int(edge.high))) for edge in simulate(nodes, drives)]
    assert len(ours) >= 15
    assert sorted(theirs) == sorted(ours)
