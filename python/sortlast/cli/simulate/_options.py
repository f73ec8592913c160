"""The options of ``sortlast simulate``: traffic, network, packets, results."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

_TRAFFIC, _HOSTS, _RESULTS = "Traffic", "Network and hosts", "Results"
_FRAME, _PACKETS, _FLOWS = "Frame (with --size)", "Packets (--method packet)", "Flows (--method flow)"


class Method(str, Enum):
    """The simulator to use."""

    packet = "packet"
    flow = "flow"
    loggops = "loggops"


class Arbitration(str, Enum):
    """How an output port chooses an input port."""

    random = "random"
    round_robin = "round-robin"


class Allocation(str, Enum):
    """When a packet gets a lane of its port."""

    together = "together"
    lane_first = "lane-first"


class Requests(str, Enum):
    """When a packet chooses among its ports."""

    each_cycle = "each-cycle"
    persistent = "persistent"


class Ties(str, Enum):
    """How one of several ports with equally many credits is chosen."""

    uniform = "uniform"
    fsin = "fsin"


Pattern = Annotated[
    str,
    typer.Argument(
        help="2W, 3W, 2M, 3M, BU, BT, WF, all-to-all, shift or uniform; a collective such as ring, or groups"
        " of ranks, 'groups tensor=8,data=18'; with --size a compositing algorithm such as radix-k:8,8; or a"
        " file: GOAL text, or a trace of FSIN."
    ),
]

Ranks = Annotated[
    str | None,
    typer.Option(
        show_default="all hosts",
        help="Number of communicating tasks; or FIRST:LAST or FIRST:LAST:STEP, a run for each number and a"
        " table of them, such as 16:64:16, or 2:256:x2, where each number is twice the previous one.",
        rich_help_panel=_TRAFFIC,
    ),
]
Bytes = Annotated[
    int | None,
    typer.Option(
        "--bytes",
        min=1,
        show_default="1000; 1000 times the ranks",
        help="Bytes of a pattern's message; for a collective and for groups, bytes that each rank holds.",
        rich_help_panel=_TRAFFIC,
    ),
]
Messages = Annotated[
    int | None,
    typer.Option(
        min=1, show_default="10", help="Messages of each task, for uniform.", rich_help_panel=_TRAFFIC
    ),
]
Stages = Annotated[
    str | None,
    typer.Option(
        show_default="all",
        help="Stages of shift, of a collective or of groups, FIRST:LAST without LAST.",
        rich_help_panel=_TRAFFIC,
    ),
]
Size = Annotated[
    str | None,
    typer.Option(help="Composite an image of this width x height in pixels.", rich_help_panel=_TRAFFIC),
]

Beside = Annotated[
    list[str] | None,
    typer.Option(
        "--beside",
        show_default="none",
        help="Another job that begins at the same time: PATTERN@BYTES, ALGORITHM@WIDTHxHEIGHT or a file, on"
        " the same hosts; or with ' on NODES' on others, such as '3M@100K on host[64-127]', or ' on free'."
        " May be repeated. Settings of frames, and --sends-at-once as for the first job, hold for all jobs.",
        rich_help_panel=_TRAFFIC,
    ),
]
Background = Annotated[
    float,
    typer.Option(
        "--background",
        min=0,
        max=0.99,
        help="Fraction of the links used by other traffic: of every link for flows; of every host's link, as"
        " packets to random hosts, for packets.",
        rich_help_panel=_TRAFFIC,
    ),
]

PixelBytes = Annotated[int, typer.Option(min=1, help="Bytes of a pixel.", rich_help_panel=_FRAME)]
Active = Annotated[
    float,
    typer.Option(
        min=0, max=1, help="Fraction of an image's pixels that are active and sent.", rich_help_panel=_FRAME
    ),
]
Blend = Annotated[
    float,
    typer.Option(
        min=0,
        show_default="takes no time",
        help="Blending rate of a rank in MB/s (10^6 bytes of a fragment).",
        rich_help_panel=_FRAME,
    ),
]
Overlap = Annotated[bool, typer.Option(help="Blend while the rank's messages move.", rich_help_panel=_FRAME)]
StageSeconds = Annotated[
    float,
    typer.Option(min=0, max=3600, help="Cost of a stage at a rank in seconds.", rich_help_panel=_FRAME),
]
Barrier = Annotated[
    bool, typer.Option("--barrier", help="All ranks begin a stage together.", rich_help_panel=_FRAME)
]

MethodOption = Annotated[
    Method,
    typer.Option(
        "--method",
        help="packet: cycle by cycle; flow: messages as flows that share links max-min fairly, for long"
        " messages and large fabrics; loggops: no network, only CPUs and adapters cost time.",
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE,..",
        show_default="L=2500,o=1500,g=1000,G=6,O=0,S=65535",
        help="Parameters of --method loggops, in nanoseconds and bytes: latency L, overhead o and gap g of a"
        " message, gap G and overhead O of a byte, longest message S that does not wait for its receive.",
    ),
]
Net = Annotated[
    str | None,
    typer.Option(
        "--net",
        show_default=False,
        help="The fabric: a file (ibnetdiscover, ibsim netlist, opensm-subnet.lst, Slurm topology.conf), or a"
        " family such as k-ary-n-tree:12,2. Needed by packets and flows.",
        rich_help_panel=_HOSTS,
    ),
]
MessageSeconds = Annotated[
    float,
    typer.Option(min=0, help="Cost of a message before its bytes move, in seconds.", rich_help_panel=_FLOWS),
]
SendsAtOnce = Annotated[
    int | None,
    typer.Option(
        min=0,
        show_default="1; for a frame unlimited",
        help="Maximum messages of a task in flight; 0: unlimited.",
        rich_help_panel=_FLOWS,
    ),
]
Routing = Annotated[
    str | None,
    typer.Option(
        show_default="adaptive; ftree for flows; --lft: that file",
        help="adaptive: the port with most credits on a shortest path; flows are split evenly over all"
        " shortest paths. Or the tables of an engine: d-mod-k, s-mod-k, ftree, minhop, updn, dor, lash,"
        " random or minimal; or ar-updn or ar-ftree, among the paths that these allow; or, for packets,"
        " valiant or ugal.",
        rich_help_panel=_HOSTS,
    ),
]
FirstHost = Annotated[
    int,
    typer.Option(min=0, help="Skip this many of the nodes, in their order.", rich_help_panel=_HOSTS),
]

PacketBytes = Annotated[int, typer.Option(min=1, help="Bytes of a packet.", rich_help_panel=_PACKETS)]
Phits = Annotated[
    int, typer.Option(min=1, help="Cycles that a packet takes on a link.", rich_help_panel=_PACKETS)
]
SwitchCycles = Annotated[
    int,
    typer.Option(
        min=1,
        help="Cycles from the arrival of a packet's head at a switch until it may leave.",
        rich_help_panel=_PACKETS,
    ),
]
Buffer = Annotated[
    int, typer.Option(min=1, help="Packets in the queue of a switch's input port.", rich_help_panel=_PACKETS)
]
Injection = Annotated[
    int, typer.Option(min=1, help="Packets in the queue of a host.", rich_help_panel=_PACKETS)
]
Lanes = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=64,
        show_default="as many as minimal, valiant, ugal and ar-* need; else no lanes",
        help="Virtual lanes of each link, with a queue of --buffer packets each.",
        rich_help_panel=_PACKETS,
    ),
]
UgalThreshold = Annotated[
    int,
    typer.Option(
        min=-(2**30),
        max=2**30,
        help="For --routing ugal: phits by which the queue of the minimal path may exceed twice the queue of"
        " the other one.",
        rich_help_panel=_PACKETS,
    ),
]
LinkCycles = Annotated[
    int,
    typer.Option(
        min=0,
        max=65536,
        help="With virtual lanes: additional cycles of latency between two switches, for a phit and for a"
        " credit on its way back.",
        rich_help_panel=_PACKETS,
    ),
]
GlobalCycles = Annotated[
    int,
    typer.Option(
        min=0,
        max=65536,
        help="The same between two groups of a dragonfly or dragonfly+.",
        rich_help_panel=_PACKETS,
    ),
]
ALLOCATION_HELP = (
    "With virtual lanes, when a packet gets its lane: together with its port, or before the port, which may"
    " be busy, as in BookSim2."
)
AllocationOption = Annotated[
    Allocation, typer.Option("--allocation", help=ALLOCATION_HELP, rich_help_panel=_PACKETS)
]
ArbitrationOption = Annotated[
    Arbitration,
    typer.Option("--arbitration", help="How an output port chooses an input port.", rich_help_panel=_PACKETS),
]
TiesOption = Annotated[
    Ties,
    typer.Option(
        "--ties",
        help="How one of several ports with equally many credits is chosen: with equal probability, or the"
        " first with twice the probability of the others, as in the simulator FSIN.",
        rich_help_panel=_PACKETS,
    ),
]
RequestsOption = Annotated[
    Requests,
    typer.Option(
        "--requests",
        help="When a packet chooses its port: in each cycle that it waits, or once, when it gets to the"
        " head of its queue.",
        rich_help_panel=_PACKETS,
    ),
]
Bandwidth = Annotated[
    float | None,
    typer.Option(
        min=0.001,
        show_default="most common rate in the file; else 1250",
        help="Bandwidth of a link in MB/s (10^6 bytes).",
        rich_help_panel=_HOSTS,
    ),
]

Links = Annotated[
    Path | None,
    typer.Option(
        "--draw-links",
        help="Draw how busy the links of each level are (png, svg or pdf).",
        rich_help_panel=_RESULTS,
    ),
]
Buffers = Annotated[
    Path | None,
    typer.Option(
        "--draw-buffers",
        help="Draw the packets in the switches' buffers over time.",
        rich_help_panel=_RESULTS,
    ),
]
Sample = Annotated[
    int,
    typer.Option(
        min=1, help="Cycles between two samples of the buffers, for --draw-buffers.", rich_help_panel=_RESULTS
    ),
]
Delays = Annotated[
    Path | None,
    typer.Option("--draw-delays", help="Draw the histogram of packets' delays.", rich_help_panel=_RESULTS),
]
Sweep = Annotated[
    Path | None,
    typer.Option(
        "--draw-sweep",
        help="Draw the time over the number of ranks, if there are several.",
        rich_help_panel=_RESULTS,
    ),
]
Trace = Annotated[
    Path | None,
    typer.Option(
        help="Write all messages to this JSON file, a Chrome trace that Perfetto shows.",
        rich_help_panel=_RESULTS,
    ),
]
