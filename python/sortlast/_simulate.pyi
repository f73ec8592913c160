"""
The network simulator of sortlast: traffic with causes, as packets or flows on a fabric.
"""

from collections.abc import Callable, Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray

import sortlast._core
import sortlast._fabric


class Traffic:
    """
    Messages with causes: who sends how much to whom, and what each message waits for.
    """

    @property
    def name(self) -> str: ...

    @property
    def tasks(self) -> int: ...

    @property
    def repeats(self) -> int:
        """How often all of it is done."""

    @property
    def in_order(self) -> bool:
        """
        Whether each task sends its messages one after the other, or whatever may go.
        """

    @property
    def messages(self) -> int:
        """Of all repetitions."""

    @property
    def bytes(self) -> int:
        """Of all messages."""

    @property
    def source(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Task that sends each message of one repetition: int32 array."""

    @property
    def destination(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Task that receives it: int32 array; the source itself: a computation."""

    @property
    def size(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Its bytes, of a computation its nanoseconds: int64 array."""

    @property
    def first_cause(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        Where its causes begin in `causes`, and at last where they end: int64 array.
        """

    @property
    def causes(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Messages that are waited for: int32 array."""

    def to_goal(self) -> str:
        """GOAL text, the input of LogGOPSim."""

    def to_fsin(self) -> str:
        """A trace for FSIN. Raises ArgumentError if the traffic is not in order."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

def pattern(name: str, ranks: int, size: int) -> Traffic:
    """
    One of patterns() with messages of `size` bytes. Raises ArgumentError: an unknown name, ranks
    that are no square, cube or power of two as it needs, a size below 1.
    """

def patterns() -> list[tuple[str, str]]:
    """Name and summary of each pattern of Navaridas et al."""

def all_to_all(ranks: int, size: int) -> Traffic:
    """Every rank sends to rank + 1, rank + 2, ...; nobody waits."""

def shift(ranks: int, size: int, first: int, last: int) -> Traffic:
    """
    Stages s of [first, last), 1 <= s < ranks: i sends to (i + s) mod ranks, and goes on when it has
    received its message of this stage. Raises ArgumentError for other stages.
    """

def from_pattern(pattern: sortlast._fabric.Pattern, first: int = 1, last: int | None = None) -> Traffic:
    """
    The stages of [first, last) of a pattern of the fabric lab, counted from 1 with their repetitions (None:
    to the last): task i is participant i, and goes on when it has received its messages of a stage. Raises
    ArgumentError for other stages.
    """

def join_jobs(jobs: Sequence[tuple[Traffic, Sequence[int]]], share_hosts: bool = False) -> tuple[Traffic, list[int], list[list[int]], list[int]]:
    """
    The traffic of jobs, each with the host of each of its tasks, as one: the traffic, the host of each
    task, by job and task the task of it, and by message whose it is. Raises ArgumentError: no jobs,
    hosts that do not fit, with share_hosts two tasks of a job on one host, too many messages.
    """

def uniform(ranks: int, size: int, messages: int, seed: int = 1) -> Traffic:
    """Every rank sends `messages` to others drawn uniformly; nobody waits."""

def halo(grid: Sequence[int], size: int, iterations: int = 1) -> Traffic:
    """
    The halo exchange of a simulation: the ranks of a grid, whose first axis runs fastest, send a
    face of `size` bytes to each neighbour along every axis, and the next one when they have
    received one from all. Borders have no neighbours. Raises ArgumentError for no grid, or what is
    below 1.
    """

def from_schedule(schedule: sortlast._core.Schedule, pixel_bytes: int = 16) -> Traffic:
    """
    The transfers of a schedule, pixels times pixel_bytes. Each waits for the receives that its part
    is made of, and goes as soon as they are there.
    """

def parse_goal(text: str, name: str = 'GOAL') -> Traffic:
    """
    Traffic in GOAL text. Raises Error, which begins with `name` and the line; ArgumentError for more than
    2^63 - 1 bytes.
    """

def parse_fsin(text: str, name: str = 'FSIN trace') -> Traffic:
    """
    Traffic in a trace of FSIN. Raises Error, which begins with `name` and the line; ArgumentError for
    more than 2^63 - 1 bytes.
    """

class PacketOptions:
    """Settings of the packet simulator."""

    def __init__(self, *, packet_bytes: int = 64, packet_phits: int = 16, switch_cycles: int = 1, buffer_packets: int = 4, injection_packets: int = 8, arbitration: str = 'random', ties: str = 'uniform', requests: str = 'each-cycle', seed: int = 17, link_bytes_per_second: float = 1250000000.0, sample_cycles: int = 0, message_log: bool = False, background: float = 0.0) -> None: ...

class PacketResult:
    """What a simulation found."""

    @property
    def cycles(self) -> int:
        """Until everything was over."""

    @property
    def seconds(self) -> float:
        """The same as simulated time, at the link rate."""

    @property
    def elapsed(self) -> float:
        """Seconds that the simulation took."""

    @property
    def messages(self) -> int:
        """That arrived."""

    @property
    def packets(self) -> int:
        """That arrived."""

    @property
    def background_packets(self) -> int:
        """That others sent and that arrived too."""

    @property
    def packet_hops(self) -> int:
        """Links that packets crossed, hosts' links included."""

    @property
    def mean_delay(self) -> float:
        """
        Mean cycles of a packet, from its injection queue to the arrival of its tail.
        """

    @property
    def delay_deviation(self) -> float: ...

    @property
    def min_delay(self) -> int: ...

    @property
    def max_delay(self) -> int: ...

    def delay_percentile(self, percent: float) -> int:
        """Cycles that `percent` of all packets do not exceed, within 1/32."""

    @property
    def bytes_used(self) -> int:
        """Memory that the simulation held, without topology and traffic."""

    @property
    def link_loads(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Packets on each channel of the topology: int64 array (channels,)."""

    @property
    def delays(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
        """
        How many packets (third column) were delayed by the first to the second column's cycles, from the
        bin of the least delay to that of the greatest: int64 array (bins, 3).
        """

    @property
    def occupation(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
        """
        Every sample_cycles: the cycle, and the packets in buffers of switches of level 0 (none), 1, 2, ...:
        int64 array (samples, 2 + levels).
        """

    @property
    def message_log(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
        """
        If asked for: message, repetition, the cycle in which it entered the injection queue and that after
        its last phit arrived; in order of arrival: int64 array (messages, 4).
        """

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

def simulate_adaptive(topology: sortlast._fabric.Topology, traffic: Traffic, placement: Sequence[int], options: PacketOptions, progress: Callable | None = None) -> PacketResult:
    """
    Simulate traffic with adaptive shortest paths. `placement`: host of each task; `progress`: called now
    and then with the part done, 0 to 1, and what it raises ends the run, as False does.
    """

def simulate_static(routes: sortlast._fabric.Routes, traffic: Traffic, placement: Sequence[int], options: PacketOptions, progress: Callable | None = None) -> PacketResult:
    """The same on the tables of a routing."""

class LaneOptions:
    """Settings of virtual lanes; 0 lanes: as many as needed."""

    def __init__(self, *, lanes: int = 0, ugal_threshold: int = 0, link_cycles: int = 0, global_cycles: int = 0, allocation: str = 'together') -> None: ...

class LaneRoutes:
    """A routing of packets on lanes, on a topology."""

    @property
    def name(self) -> str: ...

    @property
    def classes(self) -> int:
        """Lanes that it needs to be free of deadlock."""

def lane_routings() -> list[tuple[str, str]]:
    """
    Name and summary of each routing of packets beside the engines of the fabric lab.
    """

def lane_routes(topology: sortlast._fabric.Topology, name: str, roots: Sequence[int] = [], seed: int = 1) -> LaneRoutes:
    """
    One of lane_routings(), or the tables of an engine. `roots`: numbers of switches. Raises
    ArgumentError: no such name; a fabric that the routing refuses, and why.
    """

def lane_routes_of(routes: sortlast._fabric.Routes) -> LaneRoutes:
    """Tables that are there, on the lanes that they say."""

def find_lane_loop(routes: LaneRoutes) -> list[tuple[int, int]]:
    """
    Channels and classes of hops that packets may hold while they wait for the next, in a circle; none:
    the routing is free of deadlock.
    """

class LoadResult:
    """What became of the packets at a load."""

    @property
    def offered(self) -> float:
        """Phits a cycle and host that began in the measured cycles."""

    @property
    def accepted(self) -> float:
        """Phits a cycle and host that arrived in them."""

    @property
    def begun(self) -> int:
        """Packets that began in them, which are those that count."""

    @property
    def arrived(self) -> int:
        """Of those, how many arrived."""

    @property
    def mean_delay(self) -> float | None:
        """
        Mean cycles from the beginning of a packet that counts to the arrival of its tail; None: none arrived.
        """

    def delay_percentile(self, percent: float) -> int | None:
        """
        Cycles that `percent` of them do not exceed, within 1/32; None: none arrived.
        """

    @property
    def cycles(self) -> int:
        """That were simulated."""

    @property
    def packet_hops(self) -> int:
        """Links that packets crossed."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

def simulate_load(routes: LaneRoutes, load: float, traffic: str, options: PacketOptions, lanes: LaneOptions, warm_up: int = 3000, measured: int = 5000, drain: int = 20000, progress: Callable | None = None) -> LoadResult:
    """
    Packets that begin at random: those that begin in `measured` cycles after `warm_up` count, and are
    waited for `drain` cycles.
    """

def simulate_lanes(routes: LaneRoutes, traffic: Traffic, placement: Sequence[int], options: PacketOptions, lanes: LaneOptions, progress: Callable | None = None) -> PacketResult:
    """Simulate traffic on virtual lanes."""

class FlowOptions:
    """Settings of the flow simulator."""

    def __init__(self, *, link_bytes_per_second: float = 1250000000.0, message_seconds: float = 0.0, sends_at_once: int = 1, receives_at_once: int = 0, precision: float = 1e-09, message_log: bool = False, host_links: bool = True, ordered_links: bool = False, background: Sequence[float] = []) -> None: ...

class CompositingOptions:
    """What a frame is made of."""

    def __init__(self, *, pixel_bytes: int = 16, active: float = 1.0, blend_bytes_per_second: float = 0.0, overlap: bool = True, window: int = -1, rendezvous: bool = True, barrier: bool = False, stage_seconds: float = 0.0, chunk_bytes: int = 0) -> None: ...

class FlowResult:
    """What a simulation of flows found."""

    @property
    def seconds(self) -> float:
        """Until everything was over."""

    @property
    def elapsed(self) -> float:
        """Seconds that the simulation took."""

    @property
    def traffic(self) -> Traffic:
        """What was simulated."""

    @property
    def messages(self) -> int:
        """That arrived."""

    @property
    def bytes(self) -> int:
        """That arrived."""

    @property
    def events(self) -> int:
        """Times at which something happened."""

    @property
    def shares(self) -> int:
        """Rates that were computed."""

    @property
    def bytes_used(self) -> int:
        """Memory that the simulation held, without topology and traffic."""

    def __repr__(self) -> str: ...

    @property
    def channel_bytes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Bytes on each channel of the topology: int64 array (channels,)."""

    @property
    def task_end(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        Seconds until the last message or computation of each task was over: float64 array (tasks,).
        """

    @property
    def task_compute(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Seconds that each task computed: float64 array (tasks,)."""

    @property
    def task_hidden(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        Of these, seconds in which messages of its own were under way: float64 array (tasks,).
        """

    @property
    def log_messages(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
        """
        If a log was asked for: each message or computation that ended, and its repetition, in order of
        their ends: int64 array (ended, 2).
        """

    @property
    def log_seconds(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Start and end of each row of log_messages: float64 array (ended, 2)."""

    @property
    def bandwidth(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        Bytes a second from each task (row) to each other, over the time that their messages took; 0
        where there are none: float64 array (tasks, tasks). Raises ArgumentError unless a log was asked
        for, or for more than 16,384 tasks.
        """

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

class Frame(FlowResult):
    """A frame that was composited on a simulated network."""

    @property
    def timing(self) -> sortlast._core.Timing:
        """Of the rank that ends last; `wait` is when it did not blend."""

    @property
    def frames_per_second(self) -> float:
        """If frames follow one another; 0 for a frame that takes no time."""

    @property
    def hidden(self) -> float:
        """
        Share of this rank's blending that does not make the frame longer, 0 to 1; 0 without blending.
        """

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

def simulate_flows(ways: sortlast._fabric.Routes | sortlast._fabric.Spreading, traffic: Traffic, placement: Sequence[int], options: FlowOptions, progress: Callable | None = None) -> FlowResult:
    """
    Simulate traffic as flows on Routes or a Spreading. `placement`: host of each task; `progress`: called
    now and then with the part done, 0 to 1, and what it raises ends the run, as False does.
    """

def compositing_traffic(schedule: sortlast._core.Schedule, options: CompositingOptions) -> Traffic:
    """A frame of a schedule as traffic."""

def simulate_frame(schedule: sortlast._core.Schedule, ways: sortlast._fabric.Routes | sortlast._fabric.Spreading, placement: Sequence[int], compositing: CompositingOptions, options: FlowOptions, progress: Callable | None = None) -> Frame:
    """Simulate a frame of a schedule as flows."""

class Program:
    """
    What each rank sends, receives and computes, and what each of these actions waits for, as GOAL has it.
    """

    @property
    def name(self) -> str: ...

    @property
    def ranks(self) -> int: ...

    @property
    def actions(self) -> int:
        """Sends, receives and computations."""

    def to_goal(self) -> str:
        """GOAL text, the input of LogGOPSim."""

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

def parse_program(text: str, name: str = 'GOAL') -> Program:
    """
    A program in GOAL text. Raises Error, which begins with `name` and the line.
    """

def program_of(traffic: Traffic) -> Program:
    """
    Traffic as a program, with its repetitions written out: every receive waits for nothing.
    Raises ArgumentError for more than 2^31 - 1 actions.
    """

def traffic_of(program: Program) -> Traffic:
    """
    The messages and computations of a program, for the simulators of fabrics. CPUs, NICs and the
    places of receives are lost.
    """

class LogGopsResult:
    """How long a program takes by the LogGOPS model."""

    @property
    def seconds(self) -> float:
        """Until the last rank has ended."""

    @property
    def messages(self) -> int:
        """That arrived."""

    @property
    def bytes(self) -> int:
        """Of these."""

    @property
    def ends(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """When the last CPU of each rank has ended, in seconds: float array."""

    @property
    def computing(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Computations of each rank, in seconds: float array."""

    @property
    def overhead(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Work of each rank's CPUs with messages, in seconds: float array."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

def simulate_loggops(program: Program, *, L: int = 2500, o: int = 1500, g: int = 1000, G: float = 6, O: float = 0, S: int = 65535, progress: Callable | None = None) -> LogGopsResult:
    """Run a program by the LogGOPS model."""
