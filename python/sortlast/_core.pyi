"""Schedules, images and the serial executor of sortlast."""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Timing:
    """
    Seconds of one frame by phase, and the data moved: measured on this rank, or priced or simulated for the slowest rank. Unknown phases are 0.
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
        Seconds of waiting for ranks that joined the frame later; 0 if unknown.
        """

    @property
    def search(self) -> float:
        """
        Seconds of searching for active pixels, before the ranks meet and as messages are made.
        """

    @property
    def wait(self) -> float:
        """Seconds of transfers not hidden by blending."""

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
        """Peak memory beyond the input image and the result, in bytes."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

class Event:
    """
    One action of a rank, in seconds on a clock shared by all processes of a host.
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
        """
        The other rank of a send or receive, the root of a gather; otherwise -1.
        """

    @property
    def stage(self) -> int:
        """Stage of a send or receive, counted from 1; otherwise -1."""

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
    """Receive a whole value."""

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
        """Pairs (value, whether it joins in front of the result so far)."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

class Program:
    """The work of one rank."""

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
    """One message in the list of all transfers of a schedule."""

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
        Number of runs of consecutive positions in the fragment, each with its own pixels; 1 without positions.
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
    """Which rank sends which pixels to whom, and how they are merged."""

    @property
    def name(self) -> str:
        """The algorithm with its parameters, as accepted by make()."""

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
        """Node of each rank; empty: every rank has its own node."""

    @property
    def positions(self) -> list[list[int]]:
        """
        For each rank, the positions of its images, front to back over all ranks; empty: one image per rank.
        """

    @property
    def depth_runs(self) -> list[int]:
        """
        For each node, the number of runs of depth positions that its ranks hold, which is the number of fragments that a two-level schedule sends over the network.
        """

    @property
    def stage_count(self) -> int: ...

    @property
    def window(self) -> int:
        """Maximum number of stages in progress at once on a rank; 0: no limit."""

    @property
    def incremental(self) -> bool:
        """
        Whether ranks may start before all others have arrived, and merge images in any order of arrival.
        """

    def program(self, rank: int) -> Program:
        """The work of one rank. Costs O(its own steps)."""

    def piece(self, rank: int) -> tuple[int, int]:
        """Range of pixels that a rank finishes."""

    def stages(self) -> list[list[Transfer]]:
        """Transfers of all ranks by stage. Costs O(all steps)."""

    def verify(self) -> None:
        """
        Execute the schedule symbolically; raises Error with the first violation.
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

    `nodes` gives the node of each rank, numbered from 0 without gaps. `positions` lists, for each rank, the
    depth positions of its images, front to back over all ranks: any distinct integers. A rank may have
    none. It needs commutes=True, because images that carry their positions can be joined in any order.
    """

def price(schedule: Schedule, alpha: float = 1e-06, beta: float = 8.888888888888889e-09, gamma: float = 3.2e-09, latency: str = 'per_message', overlap: bool = False) -> Timing:
    """
    Price a schedule by walking it: alpha [s] per message (or round), beta [s] per pixel sent, gamma [s] per pixel blended.
    """

def formula(name: str, p: int, n: int, alpha: float = 1e-06, beta: float = 8.888888888888889e-09, gamma: float = 3.2e-09, latency: str = 'per_message', overlap: bool = False) -> Timing:
    """The published closed form of an algorithm's cost."""

class Machine:
    """
    Measured figures of a communicator's machine, for one rank with a core of its own.

    The defaults are the values that "auto" uses without a profile.
    """

    def __init__(self, *, alpha: float = 2e-06, beta: float = 1e-10, node_alpha: float = 2e-06, node_beta: float = 1.2e-10, gamma_read: float = 3e-11, gamma_write: float = 3e-11, copy: float = 1e-10, cores: int = 0, ranks: int = 1) -> None: ...

    @property
    def alpha(self) -> float:
        """Latency of a message between nodes [s]."""

    @alpha.setter
    def alpha(self, arg: float, /) -> None: ...

    @property
    def beta(self) -> float:
        """
        Time per byte between nodes, on the link that a node's ranks share [s].
        """

    @beta.setter
    def beta(self, arg: float, /) -> None: ...

    @property
    def node_alpha(self) -> float:
        """Latency of a message within a node [s]."""

    @node_alpha.setter
    def node_alpha(self, arg: float, /) -> None: ...

    @property
    def node_beta(self) -> float:
        """Time per byte within a node, by message [s]."""

    @node_beta.setter
    def node_beta(self, arg: float, /) -> None: ...

    @property
    def gamma_read(self) -> float:
        """Time to read a byte in blending [s]."""

    @gamma_read.setter
    def gamma_read(self, arg: float, /) -> None: ...

    @property
    def gamma_write(self) -> float:
        """Time to write a byte in blending [s]."""

    @gamma_write.setter
    def gamma_write(self, arg: float, /) -> None: ...

    @property
    def copy(self) -> float:
        """Time to copy a byte [s]."""

    @copy.setter
    def copy(self, arg: float, /) -> None: ...

    @property
    def cores(self) -> int:
        """Cores of a node for its ranks; 0: one per rank."""

    @cores.setter
    def cores(self, arg: int, /) -> None: ...

    @property
    def ranks(self) -> int:
        """Ranks of a node, if the node of each rank is not given."""

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
        The machine described by a profile's text; `source` names it in messages. Raises ArgumentError.
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
        """Waiting for messages, and moving data within nodes [s]."""

    @property
    def blend(self) -> float:
        """Blending that no transfer hides [s]."""

    @property
    def copy(self) -> float:
        """Copying images to memory that others can read [s]."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

    @property
    def total(self) -> float: ...

def choose(p: int, n: int, machine: Machine = ..., pixel_bytes: float = 16.0, active: float = 1.0, staged: bool = False, order: Sequence[int] | None = None, ring: Sequence[int] | None = None, commutes: bool = False, nodes: Sequence[int] | None = None, candidates: Sequence[str] | None = None, positions: Sequence[Sequence[int]] | None = None, spread: float = 0.0) -> list[Prediction]:
    """
    Predict the times of algorithms on a machine, fastest first. Raises ArgumentError.

    `active` is the share of an image's pixels that are active (1: dense). `staged` states whether images
    must be copied before the other ranks of a node can read them. `candidates` are names of algorithms (by
    default all that may be worth using). `positions` are the positions of the ranks' images, as in make().
    `spread` is the time between the first and the last rank's arrival [s].
    """

class Part:
    """
    Pixels on a rank that hold the composite of the images at the positions `depth` of
    Builder.order.
    """

    @property
    def rank(self) -> int: ...

    @property
    def value(self) -> int: ...

    @property
    def pixels(self) -> tuple[int, int]:
        """Half-open range [begin, end)."""

    @property
    def depth(self) -> tuple[int, int]:
        """Half-open range of places in Builder.order."""

    @property
    def stage(self) -> int:
        """Last stage that the part depends on; 0: none."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

class Builder:
    """
    Collects the sends and merges of all ranks; see sortlast.schedule.register.

    The calls for a rank must be in an order in which it can execute them. Parts without pixels are
    valid everywhere and move nothing. Every call raises ArgumentError if a rank is not in [0, p).
    """

    @property
    def p(self) -> int:
        """Number of ranks."""

    @property
    def n(self) -> int:
        """Number of pixels."""

    @property
    def parameters(self) -> str:
        """The text after the colon of the algorithm's name."""

    @property
    def order(self) -> list[int]:
        """
        Ranks from front to back; if the operator commutes, in the preferred order for communication.
        """

    @property
    def ring(self) -> list[int]:
        """Ranks in the preferred order for communication."""

    @property
    def commutes(self) -> bool:
        """
        Whether depth positions are counted modulo p, because the order does not matter.
        """

    def image(self, rank: int) -> Part:
        """A rank's own image: all pixels."""

    def piece(self, j: int, g: int) -> tuple[int, int]:
        """Pixels [begin, end) of piece j of g equal pieces of the image."""

    def cut(self, part: Part, pixels: tuple[int, int]) -> Part:
        """The pixels of a part that are in `pixels`, [begin, end), too."""

    def send(self, part: Part, to: int, stage: int = 0) -> Part:
        """
        Send a part to another rank, in the given stage or, with 0, in the first one in which it can be
        sent. Returns the part on the other rank.
        """

    def merge(self, parts: Sequence[Part]) -> Part:
        """
        Composite parts of the same pixels on one rank, listed in the order in which they are expected
        to arrive. Their depth ranges must tile one range.
        """

    def finish(self, part: Part) -> None:
        """Make a part its rank's result, of which each rank has one at most."""

def register(name: str, summary: str) -> None:
    """Make sortlast.schedule._functions[name] an algorithm."""

class DeviceArray:
    """
    An array in the memory of a GPU: of a tile or frame, or made by ``Compositor.allocate``.

    It has no arithmetic. CuPy, PyTorch, numba, JAX, Warp and others use it without a copy, through DLPack
    or the CUDA Array Interface: ``cupy.asarray(a)``, ``torch.from_dlpack(a)``. By both protocols, they
    wait on the GPU until its values are computed. The values are C-contiguous.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents."""

    @property
    def ndim(self) -> int:
        """Number of extents."""

    @property
    def dtype(self) -> numpy.dtype:
        """float32, float16 or uint8."""

    @property
    def device(self) -> int:
        """Number of the GPU in this process."""

    @property
    def stream(self) -> int:
        """
        Handle of the CUDA stream on which the values are computed; 0 is the default stream.
        """

    @property
    def __cuda_array_interface__(self) -> dict: ...

    def __dlpack_device__(self) -> tuple[int, int]: ...

    def __dlpack__(self, *, stream: int | None = None, max_version: object | None = None, dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> object:
        """
        A DLPack capsule. Work that the consumer adds to ``stream`` follows the computation of the values: None and 1 are the default stream, 2 is that of the thread, -1 asks for no order. BufferError if a copy or another device is asked for.
        """

    def copy_to_host(self) -> numpy.ndarray:
        """A NumPy array with the values, once they are computed."""

    def copy_from_host(self, values: object) -> None:
        """
        Replace the values by those of an array of the same shape and dtype. Raises ArgumentError.
        """

    def __repr__(self) -> str: ...

    def __array__(self, *args: object, **kwargs: object) -> numpy.ndarray: ...

    __array_ufunc__: None = None

def device_array(address: int, shape: Sequence[int], scalar: str, stream: int, owner: object) -> DeviceArray:
    """Memory of another library. Raises ArgumentError, Error."""

def order_streams(array: DeviceArray, first: int, second: int) -> None:
    """
    Work added to the second stream of the array's GPU follows the work in the first.
    """

def describe_capsule(capsule: Annotated[NDArray, dict(device='cuda')]) -> tuple:
    """
    (address, shape, strides in values, dtype) of a DLPack capsule on a GPU.
    """

def composite_serial(colours: Sequence[Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None], depths: Sequence[Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None], height: int, width: int, channels: int, scalar: str, depth: bool, op: str, order: Sequence[int], background: Sequence[float]) -> tuple[NDArray, NDArray | None]:
    """The oracle; see sortlast.composite_serial."""

def composite_boxes_serial(colours: Sequence[Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None], depths: Sequence[Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None], positions: Sequence[int], boxes: Sequence[Sequence[int]], height: int, width: int, channels: int, scalar: str, depth: bool, op: str, background: Sequence[float]) -> tuple[NDArray, NDArray | None]:
    """The oracle for several images per rank; see sortlast.composite_serial."""

def execute_serial(schedule: Schedule, colours: Sequence[Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None], depths: Sequence[Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None], height: int, width: int, channels: int, scalar: str, depth: bool, op: str, seed: int) -> tuple[NDArray, NDArray | None]:
    """Run a schedule in one thread; see sortlast.execute_serial."""

def check_images(arrays: list, type: type) -> bool:
    """
    Whether all are arrays of exactly that type, contiguous, with the shape and dtype of images.
    """

def ops() -> list[str]:
    """Names of the operators."""

def visibility_order(bounds: Sequence[Sequence[float]], position: Sequence[float], parallel: bool) -> list[int]:
    """Ranks from front to back; see sortlast.visibility_order."""
