"""
The network simulator of sortlast: traffic with dependencies, as packets or flows on a fabric.
"""

from collections.abc import Callable, Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray

import sortlast._core
import sortlast._fabric


class Traffic:
    """
    Messages with dependencies: who sends how much to whom, and which messages each one waits for.
    """

    @property
    def name(self) -> str: ...

    @property
    def tasks(self) -> int: ...

    @property
    def repeats(self) -> int:
        """Number of repetitions of all messages."""

    @property
    def in_order(self) -> bool:
        """
        Whether each task sends its messages in sequence, or as soon as their dependencies allow.
        """

    @property
    def messages(self) -> int:
        """Number of messages in all repetitions."""

    @property
    def bytes(self) -> int:
        """Bytes of all messages."""

    @property
    def source(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Task that sends each message of one repetition: int32 array."""

    @property
    def destination(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Task that receives it: int32 array; the source itself: a computation."""

    @property
    def size(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Its bytes, or for a computation its nanoseconds: int64 array."""

    @property
    def first_cause(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        Where its causes begin in `causes`, and at the end where they end: int64 array.
        """

    @property
    def causes(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Messages that it waits for: int32 array."""

    def to_goal(self) -> str:
        """GOAL text, the input of LogGOPSim."""

    def to_fsin(self) -> str:
        """A trace for FSIN. Raises ArgumentError if the traffic is not in order."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

def pattern(name: str, ranks: int, size: int) -> Traffic:
    """
    One of patterns() with messages of `size` bytes. Raises ArgumentError: an unknown name, a number of
    ranks that is not the required square, cube or power of two, a size below 1.
    """

def patterns() -> list[tuple[str, str]]:
    """Name and summary of each pattern of Navaridas et al."""

def all_to_all(ranks: int, size: int) -> Traffic:
    """Every rank sends to rank + 1, rank + 2, ...; no rank waits."""

def shift(ranks: int, size: int, first: int, last: int) -> Traffic:
    """
    Stages s of [first, last), 1 <= s < ranks: i sends to (i + s) mod ranks, and continues when it has
    received its message of this stage. Raises ArgumentError for other stages.
    """

def from_pattern(pattern: sortlast._fabric.Pattern, first: int = 1, last: int | None = None) -> Traffic:
    """
    The stages [first, last) of a pattern of the fabric lab, counted from 1 with their repetitions (None: to
    the last): task i is participant i, and continues when it has received its messages of a stage. Raises
    ArgumentError for other stages.
    """

def join_jobs(jobs: Sequence[tuple[Traffic, Sequence[int]]], share_hosts: bool = False) -> tuple[Traffic, list[int], list[list[int]], list[int]]:
    """
    The traffic of several jobs, each with the host of each of its tasks, as one: the traffic, the host of
    each task, for each job and task the combined task, and for each message its job. Raises ArgumentError:
    no jobs, hosts that do not fit, with share_hosts two tasks of a job on one host, too many messages.
    """

def uniform(ranks: int, size: int, messages: int, seed: int = 1) -> Traffic:
    """Every rank sends `messages` to others drawn uniformly; no rank waits."""

def halo(grid: Sequence[int], size: int, iterations: int = 1) -> Traffic:
    """
    The halo exchange of a simulation: the ranks of a grid, with the first axis fastest, send a face of
    `size` bytes to each neighbour along every axis, and the next one after they have received one from all.
    Borders have no neighbours. Raises ArgumentError for an empty grid, or values below 1.
    """

def from_schedule(schedule: sortlast._core.Schedule, pixel_bytes: int = 16) -> Traffic:
    """
    The transfers of a schedule, with pixel_bytes bytes per pixel. Each waits for the receives that its data
    depends on, and starts as soon as they have ended.
    """

def parse_goal(text: str, name: str = 'GOAL') -> Traffic:
    """
    Traffic in GOAL text. Raises Error with a message that begins with `name` and the line; ArgumentError
    for more than 2^63 - 1 bytes.
    """

def parse_fsin(text: str, name: str = 'FSIN trace') -> Traffic:
    """
    Traffic in a trace of FSIN. Raises Error with a message that begins with `name` and the line;
    ArgumentError for more than 2^63 - 1 bytes.
    """

class PacketOptions:
    """Settings of the packet simulator."""

    def __init__(self, *, packet_bytes: int = 64, packet_phits: int = 16, switch_cycles: int = 1, buffer_packets: int = 4, injection_packets: int = 8, arbitration: str = 'random', ties: str = 'uniform', requests: str = 'each-cycle', seed: int = 17, link_bytes_per_second: float = 1250000000.0, sample_cycles: int = 0, message_log: bool = False, background: float = 0.0) -> None: ...

class PacketResult:
    """Result of a packet simulation."""

    @property
    def cycles(self) -> int:
        """Time until everything has ended."""

    @property
    def seconds(self) -> float:
        """`cycles` as simulated time, at the link rate."""

    @property
    def elapsed(self) -> float:
        """Wall time of the simulation in seconds."""

    @property
    def messages(self) -> int:
        """Number that arrived."""

    @property
    def packets(self) -> int:
        """Number that arrived."""

    @property
    def background_packets(self) -> int:
        """Packets of other traffic that also arrived."""

    @property
    def packet_hops(self) -> int:
        """Number of links that packets crossed, including hosts' links."""

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
        """Cycles not exceeded by `percent` of all packets, within 1/32."""

    @property
    def bytes_used(self) -> int:
        """Memory of the simulation, without topology and traffic."""

    @property
    def link_loads(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Packets on each channel of the topology: int64 array (channels,)."""

    @property
    def delays(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
        """
        Number of packets (third column) delayed by between the first and the second column's cycles, from the
        bin of the minimum delay to the bin of the maximum: int64 array (bins, 3).
        """

    @property
    def occupation(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
        """
        For every sample_cycles: the cycle, and the packets in buffers of switches of level 0 (none), 1, 2, ...:
        int64 array (samples, 2 + levels).
        """

    @property
    def message_log(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
        """
        If requested: message, repetition, the cycle in which it entered the injection queue, and the cycle
        after the arrival of its last phit; in order of arrival: int64 array (messages, 4).
        """

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

def simulate_adaptive(topology: sortlast._fabric.Topology, traffic: Traffic, placement: Sequence[int], options: PacketOptions, progress: Callable | None = None) -> PacketResult:
    """
    Simulate traffic with adaptive shortest paths. `placement`: host of each task; `progress`: called now
    and then with the finished part, 0 to 1; an exception that it raises, or a result of False, ends the
    run.
    """

def simulate_static(routes: sortlast._fabric.Routes, traffic: Traffic, placement: Sequence[int], options: PacketOptions, progress: Callable | None = None) -> PacketResult:
    """Simulate traffic on the tables of a routing."""

class LaneOptions:
    """Settings of virtual lanes; 0 lanes: as many as needed."""

    def __init__(self, *, lanes: int = 0, ugal_threshold: int = 0, link_cycles: int = 0, global_cycles: int = 0, allocation: str = 'together') -> None: ...

class LaneRoutes:
    """A routing of packets on lanes, on a topology."""

    @property
    def name(self) -> str: ...

    @property
    def classes(self) -> int:
        """Number of lanes needed for freedom from deadlock."""

def lane_routings() -> list[tuple[str, str]]:
    """
    Name and summary of each routing of packets in addition to the engines of the fabric lab.
    """

def lane_routes(topology: sortlast._fabric.Topology, name: str, roots: Sequence[int] = [], seed: int = 1) -> LaneRoutes:
    """
    One of lane_routings(), or the tables of an engine. `roots`: numbers of switches. Raises ArgumentError:
    an unknown name, or an unsuitable fabric with the reason.
    """

def lane_routes_of(routes: sortlast._fabric.Routes) -> LaneRoutes:
    """Existing tables, with their lanes."""

def find_lane_loop(routes: LaneRoutes) -> list[tuple[int, int]]:
    """
    Channels and classes of hops that packets may hold while they wait for the next, in a circle; none: the
    routing is free of deadlock.
    """

class LoadResult:
    """Statistics of the packets at a load."""

    @property
    def offered(self) -> float:
        """Phits per cycle and host that started in the measured cycles."""

    @property
    def accepted(self) -> float:
        """Phits per cycle and host that arrived in the measured cycles."""

    @property
    def begun(self) -> int:
        """Packets that started in the measured cycles; only these are counted."""

    @property
    def arrived(self) -> int:
        """Number of counted packets that arrived."""

    @property
    def mean_delay(self) -> float | None:
        """
        Mean cycles from the start of a counted packet to the arrival of its tail; None: none arrived.
        """

    def delay_percentile(self, percent: float) -> int | None:
        """
        Cycles not exceeded by `percent` of the counted packets, within 1/32; None: none arrived.
        """

    @property
    def cycles(self) -> int:
        """Number of simulated cycles."""

    @property
    def packet_hops(self) -> int:
        """Number of links that packets crossed."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

def simulate_load(routes: LaneRoutes, load: float, traffic: str, options: PacketOptions, lanes: LaneOptions, warm_up: int = 3000, measured: int = 5000, drain: int = 20000, progress: Callable | None = None) -> LoadResult:
    """
    Packets that start at random: packets that start within `measured` cycles after `warm_up` are counted,
    and awaited for `drain` cycles.
    """

def simulate_lanes(routes: LaneRoutes, traffic: Traffic, placement: Sequence[int], options: PacketOptions, lanes: LaneOptions, progress: Callable | None = None) -> PacketResult:
    """Simulate traffic on virtual lanes."""

class FlowOptions:
    """Settings of the flow simulator."""

    def __init__(self, *, link_bytes_per_second: float = 1250000000.0, message_seconds: float = 0.0, sends_at_once: int = 1, receives_at_once: int = 0, precision: float = 1e-09, message_log: bool = False, host_links: bool = True, ordered_links: bool = False, background: Sequence[float] = []) -> None: ...

class CompositingOptions:
    """Parameters of a simulated frame."""

    def __init__(self, *, pixel_bytes: int = 16, active: float = 1.0, blend_bytes_per_second: float = 0.0, overlap: bool = True, window: int = -1, rendezvous: bool = True, barrier: bool = False, stage_seconds: float = 0.0, chunk_bytes: int = 0) -> None: ...

class FlowResult:
    """Result of a flow simulation."""

    @property
    def seconds(self) -> float:
        """Time until everything has ended."""

    @property
    def elapsed(self) -> float:
        """Wall time of the simulation in seconds."""

    @property
    def traffic(self) -> Traffic:
        """The simulated traffic."""

    @property
    def messages(self) -> int:
        """Number that arrived."""

    @property
    def bytes(self) -> int:
        """Number that arrived."""

    @property
    def events(self) -> int:
        """Number of times at which something happened."""

    @property
    def shares(self) -> int:
        """Number of rates that were computed."""

    @property
    def bytes_used(self) -> int:
        """Memory of the simulation, without topology and traffic."""

    def __repr__(self) -> str: ...

    @property
    def channel_bytes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Bytes on each channel of the topology: int64 array (channels,)."""

    @property
    def task_end(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        Seconds until the last message or computation of each task ended: float64 array (tasks,).
        """

    @property
    def task_compute(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Seconds of computation of each task: float64 array (tasks,)."""

    @property
    def task_hidden(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        Seconds of computation of each task while its own messages were in flight: float64 array (tasks,).
        """

    @property
    def log_messages(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
        """
        If a log was requested: each message or computation that ended, and its repetition, in order of their
        ends: int64 array (ended, 2).
        """

    @property
    def log_seconds(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Start and end of each row of log_messages: float64 array (ended, 2)."""

    @property
    def bandwidth(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        Bytes per second from each task (row) to each other, over the time that their messages took; 0 without
        messages: float64 array (tasks, tasks). Raises ArgumentError if no log was requested, or for more than
        16,384 tasks.
        """

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

class Frame(FlowResult):
    """A frame composited on a simulated network."""

    @property
    def timing(self) -> sortlast._core.Timing:
        """
        Times of the rank that ends last; `wait` is the time when it did not blend.
        """

    @property
    def frames_per_second(self) -> float:
        """
        Frames per second of consecutive frames; 0 for a frame that takes no time.
        """

    @property
    def hidden(self) -> float:
        """
        Share of this rank's blending that does not lengthen the frame, 0 to 1; 0 without blending.
        """

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

def simulate_flows(ways: sortlast._fabric.Routes | sortlast._fabric.Spreading, traffic: Traffic, placement: Sequence[int], options: FlowOptions, progress: Callable | None = None) -> FlowResult:
    """
    Simulate traffic as flows on Routes or a Spreading. `placement`: host of each task; `progress`: called
    now and then with the finished part, 0 to 1; an exception that it raises, or a result of False, ends the
    run.
    """

def compositing_traffic(schedule: sortlast._core.Schedule, options: CompositingOptions) -> Traffic:
    """A frame of a schedule as traffic."""

def simulate_frame(schedule: sortlast._core.Schedule, ways: sortlast._fabric.Routes | sortlast._fabric.Spreading, placement: Sequence[int], compositing: CompositingOptions, options: FlowOptions, progress: Callable | None = None) -> Frame:
    """Simulate a frame of a schedule as flows."""

class Program:
    """
    The sends, receives and computations of each rank, and their dependencies, as in GOAL.
    """

    @property
    def name(self) -> str: ...

    @property
    def ranks(self) -> int: ...

    @property
    def actions(self) -> int:
        """Number of sends, receives and computations."""

    def to_goal(self) -> str:
        """GOAL text, the input of LogGOPSim."""

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

def parse_program(text: str, name: str = 'GOAL') -> Program:
    """
    A program in GOAL text. Raises Error with a message that begins with `name` and the line.
    """

def program_of(traffic: Traffic) -> Program:
    """
    Traffic as a program with its repetitions written out, in which receives have no dependencies. Raises
    ArgumentError for more than 2^31 - 1 actions.
    """

def traffic_of(program: Program) -> Traffic:
    """
    The messages and computations of a program, for the simulators of fabrics. CPUs, NICs and the places of
    receives are lost.
    """

class LogGopsResult:
    """Duration of a program in the LogGOPS model."""

    @property
    def seconds(self) -> float:
        """Time until the last rank has ended."""

    @property
    def messages(self) -> int:
        """Number that arrived."""

    @property
    def bytes(self) -> int:
        """Bytes of these messages."""

    @property
    def ends(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """End of the last CPU of each rank, in seconds: float array."""

    @property
    def computing(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Computations of each rank, in seconds: float array."""

    @property
    def overhead(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Time that each rank's CPUs spend on messages, in seconds: float array."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

def simulate_loggops(program: Program, *, L: int = 2500, o: int = 1500, g: int = 1000, G: float = 6, O: float = 0, S: int = 65535, progress: Callable | None = None) -> LogGopsResult:
    """Run a program in the LogGOPS model."""
