"""Schedules, images and the serial executor of sortlast."""

from collections.abc import Sequence
from typing import Annotated

from numpy.typing import NDArray


class Timing:
    """
    Seconds of one frame by phase, and what it moved: measured on this rank, or priced or simulated for the slowest one. Phases that are not known are 0.
    """

    @property
    def total(self) -> float:
        """Seconds of the whole frame."""

    @property
    def agree(self) -> float:
        """
        Seconds for checking that all ranks passed the same arguments; ``late`` is a part of it.
        """

    @property
    def late(self) -> float:
        """
        Seconds of waiting for ranks that came later to the frame; 0 where that is not known.
        """

    @property
    def search(self) -> float:
        """
        Seconds of looking for active pixels, before the ranks meet and as messages are made.
        """

    @property
    def wait(self) -> float:
        """Seconds of transfers that no blending hid."""

    @property
    def blend(self) -> float:
        """Seconds of merging fragments."""

    @property
    def gather(self) -> float:
        """Seconds of collecting the tiles at the root."""

    @property
    def bytes_sent(self) -> int: ...

    @property
    def bytes_received(self) -> int: ...

    @property
    def messages_sent(self) -> int: ...

    @property
    def messages_received(self) -> int: ...

    @property
    def stages(self) -> int: ...

    @property
    def peak_bytes(self) -> int:
        """Most memory held beyond the input image and the result, in bytes."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

class Event:
    """
    One thing that a rank did, in seconds of a clock that all processes of a host share.
    """

    @property
    def activity(self) -> str:
        """agree, search, send, receive, wait, blend or gather."""

    @property
    def begin(self) -> float: ...

    @property
    def end(self) -> float: ...

    @property
    def peer(self) -> int:
        """The other rank of a send or receive, the root of a gather; else -1."""

    @property
    def stage(self) -> int:
        """Stage of a send or receive, counted from 1; else -1."""

    @property
    def bytes(self) -> int:
        """Bytes moved, or read by a blend."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

class Fragment:
    """
    Pixels [begin, end) that hold the composite of depth positions [first, last).
    """

    @property
    def pixels(self) -> tuple[int, int]: ...

    @property
    def depth(self) -> tuple[int, int]: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

class Send:
    """Send a part of a value to a peer."""

    @property
    def stage(self) -> int: ...

    @property
    def peer(self) -> int: ...

    @property
    def value(self) -> int: ...

    @property
    def pixels(self) -> tuple[int, int]: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

class Receive:
    """Receive a value whole."""

    @property
    def stage(self) -> int: ...

    @property
    def peer(self) -> int: ...

    @property
    def value(self) -> int: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

class Merge:
    """Join a part of several values into one, in the order of the list."""

    @property
    def value(self) -> int: ...

    @property
    def pixels(self) -> tuple[int, int]: ...

    @property
    def inputs(self) -> list[tuple[int, bool]]:
        """Pairs (value, whether it joins in front of what was gathered so far)."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

class Program:
    """All that one rank does."""

    @property
    def rank(self) -> int: ...

    @property
    def values(self) -> list[Fragment]: ...

    @property
    def sends(self) -> list[Send]: ...

    @property
    def receives(self) -> list[Receive]: ...

    @property
    def merges(self) -> list[Merge]: ...

    @property
    def result(self) -> int:
        """Value with the finished pixels; -1: none."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

class Transfer:
    """One message of a schedule as seen from above."""

    @property
    def stage(self) -> int: ...

    @property
    def source(self) -> int: ...

    @property
    def destination(self) -> int: ...

    @property
    def fragment(self) -> Fragment: ...

    @property
    def layers(self) -> int:
        """
        Runs of neighbouring positions that the fragment holds, each with its pixels; 1 without positions.
        """

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

    @property
    def pixels(self) -> tuple[int, int]: ...

    @property
    def depth(self) -> tuple[int, int]: ...

class Schedule:
    """Who sends which pixels to whom, and what is merged with what."""

    @property
    def name(self) -> str:
        """The algorithm with its parameters, as make() takes it."""

    @property
    def p(self) -> int: ...

    @property
    def n(self) -> int: ...

    @property
    def order(self) -> list[int]:
        """Ranks from front to back; empty: rank order."""

    @property
    def ring(self) -> list[int]:
        """Ranks in communication order; empty: rank order."""

    @property
    def commutes(self) -> bool: ...

    @property
    def nodes(self) -> list[int]:
        """Node of each rank; empty: every rank is a node of its own."""

    @property
    def positions(self) -> list[list[int]]:
        """
        By rank: the positions of its images, front to back over all ranks; empty: one image a rank.
        """

    @property
    def depth_runs(self) -> list[int]:
        """
        By node: how many runs of depth positions its ranks hold, which are the fragments that a two-level schedule leaves for the network.
        """

    @property
    def stage_count(self) -> int: ...

    @property
    def window(self) -> int:
        """Most stages under way at once on a rank; 0: no limit."""

    @property
    def incremental(self) -> bool:
        """
        Whether ranks may begin with those that are there, in whatever order they come.
        """

    def program(self, rank: int) -> Program:
        """What one rank does. Costs O(its own steps)."""

    def piece(self, rank: int) -> tuple[int, int]:
        """Range of pixels that a rank ends with."""

    def stages(self) -> list[list[Transfer]]:
        """Transfers of all ranks by stage. Costs O(all steps)."""

    def verify(self) -> None:
        """
        Execute the schedule symbolically; raises Error with the first thing that does not hold.
        """

    def to_json(self) -> str: ...

    def __getstate__(self) -> tuple[str, int, int, list[int], list[int], bool, list[int], list[list[int]]]: ...

    def __setstate__(self, arg: tuple[str, int, int, Sequence[int], Sequence[int], bool, Sequence[int], Sequence[Sequence[int]]], /) -> None: ...

    def __repr__(self) -> str: ...

class AlgorithmEntry:
    """An algorithm of the registry and its published cost."""

    @property
    def name(self) -> str: ...

    @property
    def usage(self) -> str: ...

    @property
    def summary(self) -> str: ...

    @property
    def latency(self) -> str: ...

    @property
    def transfer(self) -> str: ...

    @property
    def overlap(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

def algorithms() -> list[AlgorithmEntry]: ...

def make(name: str, p: int, n: int, order: Sequence[int] | None = None, ring: Sequence[int] | None = None, commutes: bool = False, nodes: Sequence[int] | None = None, positions: Sequence[Sequence[int]] | None = None) -> Schedule:
    """
    Make a schedule by name for p ranks and n pixels. Raises ArgumentError.

    `nodes` gives the node of each rank, numbered from 0 without gaps. `positions` gives, by rank, the places in
    depth of the images that it starts with, front to back over all ranks: any integers, each once; it needs
    commutes=True, as images that carry their places can be joined in any order.
    """

def price(schedule: Schedule, alpha: float = 1e-06, beta: float = 8.888888888888889e-09, gamma: float = 3.2e-09, latency: str = 'per_message', overlap: bool = False) -> Timing:
    """
    Price a schedule by walking it: alpha [s] a message (or round), beta [s] a pixel sent, gamma [s] a pixel blended.
    """

def formula(name: str, p: int, n: int, alpha: float = 1e-06, beta: float = 8.888888888888889e-09, gamma: float = 3.2e-09, latency: str = 'per_message', overlap: bool = False) -> Timing:
    """The published closed form of an algorithm's cost."""

class Machine:
    """
    Measured figures of a communicator's machine, of one rank that has a core to itself.

    The defaults are those of "auto" without a profile.
    """

    def __init__(self, *, alpha: float = 2e-06, beta: float = 1e-10, node_alpha: float = 2e-06, node_beta: float = 1.2e-10, gamma_read: float = 3e-11, gamma_write: float = 3e-11, copy: float = 1e-10, cores: int = 0, ranks: int = 1) -> None: ...

    @property
    def alpha(self) -> float:
        """Latency of a message between nodes [s]."""

    @alpha.setter
    def alpha(self, arg: float, /) -> None: ...

    @property
    def beta(self) -> float:
        """A byte between nodes, on the link that a node's ranks share [s]."""

    @beta.setter
    def beta(self, arg: float, /) -> None: ...

    @property
    def node_alpha(self) -> float:
        """Latency of a message within a node [s]."""

    @node_alpha.setter
    def node_alpha(self, arg: float, /) -> None: ...

    @property
    def node_beta(self) -> float:
        """A byte within a node, by message [s]."""

    @node_beta.setter
    def node_beta(self, arg: float, /) -> None: ...

    @property
    def gamma_read(self) -> float:
        """To read a byte in blending [s]."""

    @gamma_read.setter
    def gamma_read(self, arg: float, /) -> None: ...

    @property
    def gamma_write(self) -> float:
        """To write a byte in blending [s]."""

    @gamma_write.setter
    def gamma_write(self, arg: float, /) -> None: ...

    @property
    def copy(self) -> float:
        """To copy a byte [s]."""

    @copy.setter
    def copy(self, arg: float, /) -> None: ...

    @property
    def cores(self) -> int:
        """Cores of a node for its ranks; 0: one for each."""

    @cores.setter
    def cores(self, arg: int, /) -> None: ...

    @property
    def ranks(self) -> int:
        """Ranks of a node, where nodes are not given rank by rank."""

    @ranks.setter
    def ranks(self, arg: int, /) -> None: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

    def to_json(self) -> str: ...

    @staticmethod
    def from_json(text: str, source: str = 'profile') -> Machine:
        """
        The machine of a profile's text; `source` names it in messages. Raises ArgumentError.
        """

    def save(self, path: str) -> None:
        """Write the profile. Raises ArgumentError."""

    @staticmethod
    def load(path: str) -> Machine:
        """Read a profile. Raises ArgumentError."""

class Prediction:
    """Seconds that an algorithm takes for one frame."""

    @property
    def name(self) -> str:
        """Full name, with all parameters."""

    @property
    def transfer(self) -> float:
        """Waiting for messages, and moving those within nodes [s]."""

    @property
    def blend(self) -> float:
        """Blending that no transfer hides [s]."""

    @property
    def copy(self) -> float:
        """Copying images to where others can read them [s]."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

    @property
    def total(self) -> float: ...

def choose(p: int, n: int, machine: Machine = ..., pixel_bytes: float = 16.0, active: float = 1.0, staged: bool = False, order: Sequence[int] | None = None, ring: Sequence[int] | None = None, commutes: bool = False, nodes: Sequence[int] | None = None, candidates: Sequence[str] | None = None, positions: Sequence[Sequence[int]] | None = None, spread: float = 0.0) -> list[Prediction]:
    """
    Predict what algorithms take on a machine, fastest first. Raises ArgumentError.

    `active` is the share of an image's pixels that are active (1: dense), `staged` tells whether images
    must be copied before the other ranks of a node can read them, `candidates` are names of algorithms
    (all that may be worth it if not given), `positions` those of the ranks' images, as make() takes
    them, `spread` how far apart the ranks come [s].
    """

def composite_serial(colours: Sequence[Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None], depths: Sequence[Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None], height: int, width: int, channels: int, scalar: str, depth: bool, op: str, order: Sequence[int], background: Sequence[float]) -> tuple[NDArray, NDArray | None]:
    """The oracle; see sortlast.composite_serial."""

def composite_boxes_serial(colours: Sequence[Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None], depths: Sequence[Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None], positions: Sequence[int], boxes: Sequence[Sequence[int]], height: int, width: int, channels: int, scalar: str, depth: bool, op: str, background: Sequence[float]) -> tuple[NDArray, NDArray | None]:
    """The oracle of several images a rank; see sortlast.composite_serial."""

def execute_serial(schedule: Schedule, colours: Sequence[Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None], depths: Sequence[Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None], height: int, width: int, channels: int, scalar: str, depth: bool, op: str, seed: int) -> tuple[NDArray, NDArray | None]:
    """Run a schedule in one thread; see sortlast.execute_serial."""

def check_images(arrays: list, type: type) -> bool:
    """
    Whether all are arrays of that very type, contiguous and of a shape and dtype that images have.
    """

def ops() -> list[str]:
    """Names of the operators."""

def visibility_order(bounds: Sequence[Sequence[float]], position: Sequence[float], parallel: bool) -> list[int]:
    """Ranks from front to back; see sortlast.visibility_order."""
