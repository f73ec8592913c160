"""
The fabric lab of sortlast: topologies, routing, contention, and the files of existing tools.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, overload

import numpy
import numpy.typing
from numpy.typing import NDArray

import sortlast._core


class Host:
    """A host: one port of an adapter."""

    @property
    def number(self) -> int:
        """Number of the host, also of its vertex and its channel."""

    @property
    def name(self) -> str: ...

    @property
    def guid(self) -> int:
        """GUID of the adapter."""

    @property
    def port_guid(self) -> int:
        """GUID of the port; 0: unknown."""

    @property
    def port(self) -> int:
        """Port of the adapter, from 1."""

    @property
    def lid(self) -> int:
        """0: not assigned."""

    @property
    def lmc(self) -> int:
        """The host answers to 2**lmc consecutive LIDs, starting with its own."""

    @property
    def aggregates(self) -> bool:
        """Whether it is an aggregation node of a switch, on which no job runs."""

    @property
    def router(self) -> bool:
        """
        Whether it is a port of a router between InfiniBand subnets, on which no job runs.
        """

    @property
    def switch(self) -> int:
        """Number of the switch to which it is connected."""

    @property
    def switch_port(self) -> int:
        """Port of that switch."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

class Switch:
    """A switch."""

    @property
    def number(self) -> int: ...

    @property
    def vertex(self) -> int:
        """Its vertex: the number of hosts plus its own number."""

    @property
    def name(self) -> str: ...

    @property
    def guid(self) -> int: ...

    @property
    def lid(self) -> int:
        """0: not assigned."""

    @property
    def ports(self) -> int:
        """Number of ports; they are numbered 1 .. ports."""

    @property
    def level(self) -> int:
        """1: next to hosts; 0: no level."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

class Link:
    """A cable between port a_port of vertex a and port b_port of vertex b."""

    @property
    def channel(self) -> int:
        """The channel from a to b; accepted by without_links()."""

    @property
    def a(self) -> int: ...

    @property
    def a_port(self) -> int: ...

    @property
    def a_name(self) -> str: ...

    @property
    def b(self) -> int: ...

    @property
    def b_port(self) -> int: ...

    @property
    def b_name(self) -> str: ...

    @property
    def gbps(self) -> float:
        """Signalling rate in Gbit/s; 0: unknown."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

class Hosts:
    """The hosts of a topology, by number."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Host]: ...

    @overload
    def __getitem__(self, index: int) -> Host: ...

    @overload
    def __getitem__(self, part: slice) -> list[Host]: ...

class Switches:
    """The switches of a topology, by number."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Switch]: ...

    @overload
    def __getitem__(self, index: int) -> Switch: ...

    @overload
    def __getitem__(self, part: slice) -> list[Switch]: ...

class Links:
    """The cables of a topology, cables of hosts first."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Link]: ...

    @overload
    def __getitem__(self, index: int) -> Link: ...

    @overload
    def __getitem__(self, part: slice) -> list[Link]: ...

class TreeShape:
    """PGFT(h; m; w; p): children, parents, and links to each, by level."""

    @property
    def m(self) -> list[int]: ...

    @property
    def w(self) -> list[int]: ...

    @property
    def p(self) -> list[int]: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

class SlenderShape:
    """Slender-tree k:k',n, with up for k'."""

    @property
    def k(self) -> int: ...

    @property
    def up(self) -> int: ...

    @property
    def n(self) -> int: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

class GridShape:
    """
    Mesh, or torus if it wraps: switches along x, y, ..., and hosts on each.
    """

    @property
    def size(self) -> list[int]: ...

    @property
    def wraps(self) -> bool: ...

    @property
    def hosts(self) -> int: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

class DragonflyShape:
    """
    Dragonfly: hosts p and global links h of a router, routers a, groups g.
    """

    @property
    def p(self) -> int: ...

    @property
    def a(self) -> int: ...

    @property
    def h(self) -> int: ...

    @property
    def g(self) -> int: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

class DragonflyPlusShape:
    """
    Dragonfly+: hosts p of a leaf, leaves l, spines s, global links h of a spine, groups g.
    """

    @property
    def p(self) -> int: ...

    @property
    def l(self) -> int: ...

    @property
    def s(self) -> int: ...

    @property
    def h(self) -> int: ...

    @property
    def g(self) -> int: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

class HyperXShape:
    """HyperX: switches along x, y, ..., and hosts on each."""

    @property
    def size(self) -> list[int]: ...

    @property
    def hosts(self) -> int: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

class Levels:
    """Levels of switches."""

    @property
    def level(self) -> list[int]:
        """By switch, 1 next to hosts; all 0 if the fabric is not a tree."""

    @property
    def roots(self) -> list[int]:
        """Switches of the highest level."""

    @property
    def why(self) -> str:
        """Why the fabric is not a tree; empty: it is one."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

class MissingLinks:
    """
    A lower and an upper switch with fewer links than such pairs normally have.
    """

    @property
    def lower(self) -> int:
        """Number of the lower switch."""

    @property
    def upper(self) -> int:
        """Number of the upper switch."""

    @property
    def lower_name(self) -> str: ...

    @property
    def upper_name(self) -> str: ...

    @property
    def present(self) -> int: ...

    @property
    def expected(self) -> int: ...

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

class SlowLink:
    """A link that is slower than its neighbours."""

    @property
    def channel(self) -> int:
        """One direction of the link."""

    @property
    def link(self) -> str:
        """Both ends with their ports, as text."""

    @property
    def gbps(self) -> float:
        """Its signalling rate [Gbit/s]."""

    @property
    def expected(self) -> float:
        """The rate of most of its neighbours [Gbit/s]."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

class Topology:
    """
    Hosts, switches, and the links between their ports. Vertices are the hosts, then the switches. Channels are the directions of links, identified by the port at their start: channel h starts at host h, and the channels of the switches follow, switch by switch and port by port.
    """

    @property
    def name(self) -> str: ...

    @property
    def hosts(self) -> Hosts: ...

    @property
    def switches(self) -> Switches: ...

    @property
    def links(self) -> Links: ...

    @property
    def channels(self) -> int:
        """Number of channels."""

    @property
    def channel_gbps(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        Signalling rate of each channel in Gbit/s: float64 array (channels,); 0: unknown, NaN: no cable.
        """

    @property
    def vertices(self) -> int:
        """Number of vertices."""

    @property
    def levels(self) -> int:
        """The highest level; 0: the switches have no levels."""

    @property
    def shape(self) -> None | TreeShape | SlenderShape | GridShape | DragonflyShape | DragonflyPlusShape | HyperXShape:
        """
        TreeShape, SlenderShape, GridShape, DragonflyShape, DragonflyPlusShape or HyperXShape of an intact
        fabric of such a family, otherwise None.
        """

    def vertex_name(self, vertex: int) -> str: ...

    def label(self, vertex: int) -> str:
        """
        The name of a vertex, with its GUID (a host's port GUID) if another vertex has the same name.
        """

    def source(self, channel: int) -> tuple[int, int]:
        """(vertex, port) where a channel starts."""

    def target(self, channel: int) -> tuple[int, int] | None:
        """(vertex, port) where a channel ends; None: its port has no cable."""

    def gbps(self, channel: int) -> float:
        """Signalling rate in Gbit/s; 0: unknown."""

    def __repr__(self) -> str: ...

    def to_networkx(self) -> Any:
        """
        A networkx.MultiGraph. Nodes are vertices by number, with kind ("host" or "switch"), name, guid, and
        level if it is known (0: a host). Edges are links, with a, a_port, b, b_port, channel, and gbps if it is
        known. Raises MissingExtraError without NetworkX.
        """

    def without_hosts(self, hosts: Sequence[int]) -> Topology:
        """
        The topology without some hosts, given by number. The rest is renumbered in the same order; the shape is lost.
        """

    def without_links(self, channels: Sequence[int]) -> Topology:
        """
        The topology without some links between switches, given by one channel of each.
        """

    def without_switches(self, switches: Sequence[int]) -> Topology:
        """
        The topology without some switches, given by number, and without their hosts.
        """

    def without_stranded(self) -> Topology:
        """
        The topology without switches from which no compute host can be reached, and without their other hosts.
        """

    def with_levels(self, levels: Sequence[int]) -> Topology:
        """The topology with the given levels of its switches."""

    def with_names(self, names: Mapping[int, str]) -> Topology:
        """
        The topology with other names of hosts and switches, by GUID (of the adapter, its port or the switch).
        """

    def rank_switches(self, roots: Sequence[int] = []) -> Levels:
        """
        Find the levels of the switches of a tree, from its roots if they are given.
        """

    def slow_links(self) -> list[SlowLink]:
        """
        Links that are slower than most links of the same kind at one of their ends, sorted by channel; links
        of unknown rate are left out.
        """

    def missing_links(self) -> list[MissingLinks]:
        """
        Pairs of switches with fewer links than a regular fabric would have. Raises ArgumentError if it is not a tree.
        """

def crossbar(n: int) -> Topology:
    """One switch with n hosts."""

def k_ary_n_tree(k: int, n: int) -> Topology:
    """
    k**n hosts under n levels of k**(n-1) switches (Petrini and Vanneschi, 1997).
    """

def var_ary_n_tree(k: Sequence[int]) -> Topology:
    """
    Arity k[l-1] at level l, with as many links up as down (Zahavi et al., 2010).
    """

def gft(h: int, m: int, w: int) -> Topology:
    """
    GFT(h, m, w) of Oehring et al. (1995): m children and w parents everywhere, adapters of w ports.
    """

def xgft(m: Sequence[int], w: Sequence[int]) -> Topology:
    """
    XGFT(h; m; w) of Oehring et al. (1995): children and parents by level, from the hosts up.
    """

def pgft(m: Sequence[int], w: Sequence[int], p: Sequence[int]) -> Topology:
    """
    PGFT(h; m; w; p) of Zahavi (2010): an XGFT with p parallel links to each parent, by level.
    """

def rlft(ports: int, levels: int) -> Topology:
    """
    Largest Real Life Fat-Tree (Zahavi, 2010) of switches with `ports` ports.
    """

def thin_tree(k: int, up: int, n: int) -> Topology:
    """Thin-tree k:up,n of Navaridas et al.; a fat-tree if up = k."""

def slender_tree(k: int, up: int, n: int) -> Topology:
    """Slender-tree k:up,n of Navaridas et al.; up is a divisor of k below k."""

def why_no_rlft(m: Sequence[int], w: Sequence[int], p: Sequence[int]) -> str:
    """Why PGFT(h; m; w; p) is not a Real Life Fat-Tree; empty: it is one."""

def mesh(size: Sequence[int], hosts: int = 1) -> Topology:
    """One switch with `hosts` hosts at every coordinate, x fastest."""

def torus(size: Sequence[int], hosts: int = 1) -> Topology:
    """A mesh with its ends joined."""

def dragonfly(p: int, a: int, h: int, g: int) -> Topology:
    """
    Dragonfly of Kim et al. (2008): g groups of a routers, all joined, each with p hosts and h global links.
    """

def dragonfly_plus(p: int, l: int, s: int, h: int, g: int) -> Topology:
    """
    Dragonfly+ of Shpiner et al. (2017): g groups of l leaves with p hosts each, joined to s spines with h
    global links each.
    """

def hyperx(size: Sequence[int], hosts: int = 1) -> Topology:
    """
    HyperX of Ahn et al. (2009): a switch with `hosts` hosts at every coordinate, joined to all switches
    that differ in one coordinate.
    """

class Family:
    """A family of topologies, as accepted by make_topology()."""

    @property
    def name(self) -> str: ...

    @property
    def usage(self) -> str: ...

    @property
    def summary(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

def families() -> list[Family]: ...

def make_topology(text: str) -> Topology:
    """
    A topology by name: 'pgft:18,12;1,9;1,2', 'k-ary-n-tree:12,2', 'torus:8,8,8'.
    """

def compute_hosts(topology: Topology) -> list[int]:
    """
    Numbers of the hosts that jobs run on: the hosts on leaf switches, without aggregation nodes.
    """

def order_hosts(topology: Topology, order: str, hosts: Sequence[int] = [], seed: int = 1, compute: Sequence[int] = []) -> list[int]:
    """
    Hosts (by default all) in an order: 'routing', 'routing-dummies', 'listed', 'alphabetical', 'natural' or 'random'. A dummy is -1. compute: hosts that routing balances for; none: compute_hosts(). Raises ArgumentError for an unknown order, or a host that does not exist or occurs twice.
    """

def host_orders() -> list[str]:
    """Names of the orders."""

def allocate_hosts(topology: Topology, scheduler: str, n: int, free: Sequence[int] = [], seed: int = 1) -> list[int]:
    """
    The n hosts that a scheduler ('contiguous', 'random' or 'leaf') assigns to a job from the free hosts (none given: compute_hosts()), in routing order. Raises ArgumentError if there are too few.
    """

def schedulers() -> list[str]:
    """Names of the schedulers."""

def find_hosts(topology: Topology, names: Sequence[str]) -> list[int]:
    """
    Numbers of hosts by name, by the part of their name before the first space, or by GUID in hex. Raises ArgumentError with the unknown names and similar known ones.
    """

def block_mapping(grid: Topology, block: Sequence[int]) -> list[int]:
    """
    Hosts of a mesh or torus block by block, x fastest within and among blocks.
    """

class Adapter:
    """A port of an adapter, in its node."""

    def __init__(self, rail: str, host: int) -> None: ...

    @property
    def rail(self) -> str:
        """Its name, such as 'HCA-6' or 'mlx5_0'."""

    @property
    def host(self) -> int:
        """Number of the host in the topology."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

class Node:
    """A machine and its adapters."""

    def __init__(self, name: str, adapters: Sequence[Adapter]) -> None: ...

    @property
    def name(self) -> str: ...

    @property
    def adapters(self) -> list[Adapter]:
        """
        Sorted by rail, 'mlx5_2' before 'mlx5_10'; or in the order in which ranks use them.
        """

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

class NodeRanks:
    """An entry of a list of nodes."""

    def __init__(self, name: str, ranks: int = 0, line: int = 0) -> None: ...

    @property
    def name(self) -> str:
        """Name of a node or a host, or a GUID in hex."""

    @property
    def ranks(self) -> int:
        """Number of ranks in this entry; 0: not given."""

    @property
    def line(self) -> int:
        """Line in the file; 0: not from a file."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

def find_nodes(topology: Topology) -> list[Node]:
    """
    The machines named in the descriptions of hosts ('node07 HCA-6': node07), without aggregation nodes and
    without machines whose description is the default one of adapters.
    """

def read_adapters(topology: Topology, text: str, file: str) -> list[Node]:
    """
    The machines in a table with lines 'NODE RAIL HOST', where HOST is a GUID or a host's name; other hosts
    are assigned as in find_nodes(). Raises ArgumentError with file and line.
    """

def read_hostfile(topology: Topology, text: str, file: str) -> list[NodeRanks]:
    """
    The entries of a list of nodes: names, lists in brackets, and the hostfiles of Open MPI ('NAME
    slots=4'), MPICH ('NAME:4') and Slurm (one line for each rank).
    """

def place_ranks(topology: Topology, nodes: Sequence[Node], list: Sequence[NodeRanks], rail: str = '', ranks_per_node: int = 0, file: str = '') -> tuple[list[int], list[int]]:
    """
    The host of each rank in a list, and the number of its node. rail: the adapters that ranks use, or 'all'
    to alternate; ranks_per_node: 0: as in the list. Raises ArgumentError: an unknown name, a node without
    that rail, or with several where none was selected.
    """

def between_nodes(pattern: Pattern, nodes: Sequence[int]) -> Pattern:
    """
    The flows of a pattern that leave their node; nodes: number of each participant's node.
    """

def write_slurm_topology(topology: Topology, nodes: Sequence[Node] | None = None, rail: str = '') -> str:
    """
    Slurm's topology.conf. nodes: the machines, by default those of find_nodes(); rail: used for machines on
    several switches. Raises ArgumentError for a fabric that is not a tree, a machine on several switches,
    and hosts with an unknown machine.
    """

def rails(nodes: Sequence[Node]) -> list[str]:
    """Names of all rails, 'mlx5_2' before 'mlx5_10'."""

class Routes:
    """A topology with its forwarding tables and their origin."""

    @property
    def topology(self) -> Topology: ...

    @property
    def engine(self) -> str:
        """The engine that was used, or the file of the tables."""

    @property
    def asked(self) -> str:
        """The engine that was requested."""

    @property
    def fallback(self) -> str:
        """Why the engine is not the requested one; empty: it is."""

    @property
    def planes(self) -> int:
        """
        Alternative paths to each host, of which a flow takes one from end to end (2**lmc LIDs).
        """

    @property
    def lanes(self) -> int:
        """
        Number of virtual lanes: flows wait for each other's buffers only within a lane.
        """

    def plane(self, source: int, destination: int) -> int:
        """Plane that a flow between two hosts takes."""

    def lane(self, source: int, destination: int) -> int:
        """Lane that a flow between two hosts uses."""

    def port(self, switch: int, vertex: int, plane: int = 0) -> int:
        """
        Port through which a switch, given by number, forwards traffic for a vertex. 0: the switch itself; -1:
        no route.
        """

    def walk(self, source: int, destination: int) -> list[int]:
        """
        Channels from one host, given by number, to another, in order; none if they are the same. Raises Error,
        with the switch, if the tables lead nowhere or in a circle.
        """

    def describe(self, source: int, destination: int) -> str:
        """
        The path as text, one line for each channel: 'host00000 HCA-1 [1] -> [1] sw-L1-0000'.
        """

    def table(self, plane: int = 0) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')]:
        """
        All ports of a plane, computed on request: int32 array (switches, vertices), with the values of port().
        """

    def __repr__(self) -> str: ...

class Engine:
    """A routing engine, as accepted by route()."""

    @property
    def name(self) -> str: ...

    @property
    def summary(self) -> str:
        """One sentence."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

def engines() -> list[Engine]:
    """The routing engines."""

def route(topology: Topology, engine: str, roots: Sequence[int] = [], compute: Sequence[int] = [], seed: int = 1, lmc: int = 0) -> Routes:
    """
    Route a topology. `roots`: numbers of switches, none: the engine finds them; `compute`: numbers of hosts
    that ftree, sssp and dfsssp balance for, none: all; `seed`: for random and ecmp; 2**lmc planes. An
    engine that rejects the fabric is replaced by minhop, and the Routes give the reason. Raises
    ArgumentError.
    """

def find_credit_loop(routes: Routes) -> list[int]:
    """
    Channels that wait for each other in a circle, each for the next, the last for the first; none: the
    routes are free of deadlock.
    """

def describe_channels(topology: Topology, channels: Sequence[int]) -> str:
    """Channels as text, one line each, with the port at both ends."""

class Pattern:
    """Who sends to whom, stage by stage; made by ``pattern``."""

    @property
    def name(self) -> str: ...

    @property
    def participants(self) -> int: ...

    @property
    def stages(self) -> int:
        """Number of stages that differ from the previous one."""

    @property
    def steps(self) -> int:
        """Number of stages with their repetitions."""

    def repeats(self, stage: int) -> int:
        """How many times a stage, counted from 0, is repeated in sequence."""

    @property
    def is_shift(self) -> bool:
        """Whether stage s is i -> (i + s + 1) mod p for all i."""

    def flows(self, stage: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
        """
        Flows of a stage, counted from 0: int64 array (flows, 3) of source, destination, bytes, where
        source and destination are participants.
        """

    def __repr__(self) -> str: ...

def same_in_any_order(pattern: Pattern) -> bool:
    """
    Whether every stage has the same flows however the participants are numbered: no order of hosts matters.
    """

def shift_pattern(p: int, bytes: int = 1) -> Pattern:
    """All p - 1 shift permutations, with messages of `bytes` bytes."""

def all_to_all_pattern(p: int, bytes: int = 1) -> Pattern:
    """All participants send to all others in one stage."""

def permutation_pattern(destination: Sequence[int], bytes: int = 1) -> Pattern:
    """
    One stage in which i sends to destination[i]; -1: to nobody. Raises ArgumentError if two send to the same one.
    """

def schedule_pattern(schedule: sortlast._core.Schedule, pixel_bytes: int) -> Pattern:
    """The transfers of a Schedule by its stages."""

def traffic_pattern(name: str, p: int, stages: Sequence[Sequence[tuple[int, int, int]]]) -> Pattern:
    """
    Given flows: for each stage a list of (source, destination, bytes), with participants from 0 to p - 1.
    """

class Collective:
    """A collective available in patterns."""

    @property
    def name(self) -> str:
        """Its name: 'ring', or 'rail:K' with a number K."""

    @property
    def summary(self) -> str:
        """One sentence."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

def collectives() -> list[Collective]:
    """The collectives."""

def collective_pattern(name: str, p: int, bytes: int) -> Pattern:
    """
    A collective of p ranks that hold `bytes` each. Raises ArgumentError for an unknown name, or a number in
    the name that is missing, out of range or not allowed.
    """

class GroupKind:
    """Groups of one kind among the ranks of a job."""

    def __init__(self, name: str, size: int, collective: str, bytes: int = 1) -> None: ...

    @property
    def name(self) -> str: ...

    @property
    def size(self) -> int:
        """Number of ranks in a group."""

    @property
    def collective(self) -> str:
        """The collective of its groups, one of collectives(); empty: none."""

    @property
    def bytes(self) -> int:
        """Bytes of each rank."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

def groups_pattern(p: int, kinds: Sequence[GroupKind]) -> Pattern:
    """
    All groups of all kinds at once, the innermost kind first: its groups are consecutive ranks. Raises
    ArgumentError unless the sizes multiply to p.
    """

def node_pattern(pattern: Pattern, ranks_per_node: int) -> Pattern:
    """
    The traffic of a pattern between nodes with consecutive ranks. Raises ArgumentError if the ranks do not
    fill their nodes.
    """

class Contention:
    """Number of flows that share each link at each stage of a pattern."""

    @property
    def routes(self) -> Routes: ...

    @property
    def pattern(self) -> Pattern: ...

    @property
    def placement(self) -> list[int]:
        """Host of each participant; -1: a dummy."""

    @property
    def contention_free(self) -> bool: ...

    @property
    def stages(self) -> int:
        """Number of stages that differ from the previous one."""

    @property
    def steps(self) -> int:
        """Number of stages with their repetitions."""

    @property
    def flows(self) -> int:
        """
        Number of flows in all steps, except flows of dummies and flows within a host.
        """

    @property
    def max_flows(self) -> int:
        """Maximum number of flows on a channel, over all stages."""

    @property
    def mean_share(self) -> float:
        """
        Mean over steps and flows of 1 / (maximum number of flows on a channel of the flow's path).
        """

    @property
    def worst_stage(self) -> int:
        """The first stage with max_flows, counted from 0."""

    @property
    def worst_channel(self) -> int:
        """The first channel that has max_flows at worst_stage."""

    @property
    def stage_max(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Maximum number of flows on a channel: int32 array (stages,)."""

    @property
    def stage_share(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Mean share of a flow: float64 array (stages,)."""

    @property
    def histogram(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        [f]: how often, over steps, a used channel carries f flows: int64 array (max_flows + 1,).
        """

    @property
    def channel_max(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        Maximum number of flows on each channel over all stages: int32 array (channels,).
        """

    def loads(self, stage: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Flows on each channel at a stage: int32 array (channels,)."""

    def loads_table(self, stages: Sequence[int] | None = None) -> numpy.typing.NDArray[Any]:
        """
        Flows on every used channel, at all stages or at the given ones, counted from 0: a structured array with
        one row per channel and stage, and the columns from, from_port, to, to_port, stage (counted from 1, as
        in reports) and flows. Raises ArgumentError above 10^7 rows.
        """

    def crossing(self, stage: int, channel: int) -> list[tuple[int, int, int]]:
        """
        The flows of a stage that cross a channel, as (source, destination, bytes), where source and destination
        are participants.
        """

    def __repr__(self) -> str: ...

def contention(routes: Routes, pattern: Pattern, placement: Sequence[int], threads: int = 0, progress: Callable | None = None) -> Contention:
    """
    Count the flows on every channel at every stage. `placement`: host of each participant, -1: a dummy;
    `threads`: 0: one per core; `progress`: called now and then with the finished part, 0 to 1; an exception
    that it raises, or a result of False, ends the analysis. Raises ArgumentError for a placement that does
    not fit, Error for tables that lead nowhere.
    """

class Bisection:
    """Effective bisection bandwidth, as a share of a link's bandwidth."""

    @property
    def one_way(self) -> float:
        """One half sends to the other: mean share of a flow."""

    @property
    def both_ways(self) -> float:
        """Both halves send to each other at once: mean share of a flow."""

    @property
    def one_way_samples(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """float64 array (samples,)"""

    @property
    def both_ways_samples(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """float64 array (samples,)"""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

def bisection(routes: Routes, placement: Sequence[int], samples: int = 1000, seed: int = 1, threads: int = 0, progress: Callable | None = None) -> Bisection:
    """
    Effective bisection bandwidth (Hoefler et al. 2008) over random bisections of a placement's hosts.
    """

class PatternTime:
    """Duration of a pattern."""

    @property
    def synchronised(self) -> float:
        """If every stage lasts as long as its slowest message [s]."""

    @property
    def free_running(self) -> float:
        """
        If every participant proceeds by itself: the sum of the slowest one [s].
        """

    @property
    def mean_bandwidth(self) -> float:
        """Mean over messages between hosts of bytes / duration [byte/s]."""

    @property
    def bound(self) -> float:
        """`synchronised`, if messages shared only the links of hosts [s]."""

    @property
    def worst_stage(self) -> int:
        """The first stage with the slowest message of all."""

    @property
    def worst_channel(self) -> int:
        """The channel on which that message takes so long; -1: no messages."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

def cut_bound(topology: Topology, pattern: Pattern, placement: Sequence[int], link_bytes_per_second: float, threads: int = 0, progress: Callable | None = None) -> float:
    """
    Time that a pattern takes at least under any routing [s]: what the links of hosts, and the links that
    leave each switch or subtree, can carry. Arguments are as for pattern_time().
    """

def pattern_time(routes: Routes, pattern: Pattern, placement: Sequence[int], link_bytes_per_second: float, stage_seconds: float, threads: int = 0, progress: Callable | None = None) -> PatternTime:
    """
    Time of a pattern in which a message takes stage_seconds plus its bytes at link_bytes_per_second,
    divided among the flows on the busiest channel of its path. link_bytes_per_second 0: each link has the
    rate of the topology; raises ArgumentError if it is unknown.
    """

def data_rate(gbps: float) -> float:
    """
    Data rate in one direction of a link with a signalling rate in Gbit/s [byte/s].
    """

def channel_bytes(routes: Routes, pattern: Pattern, placement: Sequence[int]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Bytes that cross each channel over all stages of a pattern: int64 array (channels,).
    """

def read_counters(topology: Topology, text: str, file: str) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Bytes that each channel has carried, from the output of perfquery -x or ibqueryerrors --counters: int64
    array (channels,), -1 for unknown counters. Raises ArgumentError with file and line.
    """

class BestOrder:
    """An order of a job's hosts, and what is known about better orders."""

    @property
    def placement(self) -> list[int]:
        """Host of each participant; -1: a dummy."""

    @property
    def contention(self) -> Contention:
        """Contention in this order."""

    @property
    def how(self) -> str:
        """Name of the order, or a report of the search."""

    @property
    def proven_best(self) -> bool:
        """Whether it is free of contention, or `proof` applies."""

    @property
    def proof(self) -> str:
        """
        Why no order of these hosts is free of contention under this routing; empty: unknown.
        """

    def __repr__(self) -> str: ...

def best_order(routes: Routes, hosts: Sequence[int], dummies: bool = False, steps: int = -1, seed: int = 1, seconds: float = 60.0, pattern: Callable | None = None, threads: int = 0, progress: Callable | None = None) -> BestOrder:
    """
    Search for the order of hosts, given by number, with the least contention: known orders, then annealing
    in `steps` swaps (-1: as many as take a few seconds), and for at most `seconds` of wall time. `dummies`:
    places may stay empty; `pattern`: called with the number of participants, including dummies, returns the
    Pattern (none: shift). False from `progress` ends the search, with the best order so far.
    """

class Failure:
    """The loss of one link or switch, and the job without it."""

    @property
    def channel(self) -> int:
        """One direction of a failed link; -1: a switch failed."""

    @property
    def failed_switch(self) -> int:
        """Number of a failed switch; -1: a link failed."""

    @property
    def lost(self) -> int:
        """Participants that are lost: the job stops; 0: it does not."""

    @property
    def seconds(self) -> float:
        """Time of the pattern [s]; 0 if the job stops."""

    @property
    def max_flows(self) -> int:
        """Maximum number of flows on a channel at any stage."""

    @property
    def engine(self) -> str:
        """The engine that routes the remaining fabric."""

    @property
    def why(self) -> str:
        """Why the job stops, or why the engine is not the requested one."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

def single_failures(topology: Topology, engine: str, pattern: Pattern, placement: Sequence[int], link_bytes_per_second: float, roots: Sequence[int] = [], compute: Sequence[int] = [], seed: int = 1, threads: int = 0, progress: Callable | None = None) -> list[Failure]:
    """
    The cost of every single failure of a link between switches, or of a switch, the worst first. The
    remaining fabric is routed by the engine. Other arguments are as for route() and pattern_time().
    """

class Spreading:
    """The paths over which a flow may be split, on a topology."""

    @property
    def name(self) -> str: ...

    @property
    def topology(self) -> Topology: ...

def spreadings() -> list[tuple[str, str]]:
    """Name and summary of each set of paths over which flows can be spread."""

def spread(topology: Topology, name: str, roots: Sequence[int] = []) -> Spreading:
    """
    One of spreadings(). `roots`: numbers of switches; none: they are searched for. Raises ArgumentError: an
    unknown name, or an unsuitable fabric with the reason.
    """

def even_shares(spreading: Spreading, source: int, destination: int) -> list[tuple[int, float]]:
    """
    Channels of a flow from host to host, and the share of it on each, if every switch splits it evenly
    among its ports. Raises Error if there is no path.
    """

class SpreadContention:
    """
    Flows on the busiest channel at every stage of a pattern, if flows are split over their paths.
    """

    @property
    def even(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        By stage, if every switch splits each flow evenly among its ports: float64 array.
        """

    @property
    def best(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """By stage, with the best splitting that was found: float64 array."""

    @property
    def bound(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        By stage, a lower bound for all splittings over these paths: float64 array.
        """

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

def spread_contention(spreading: Spreading, pattern: Pattern, placement: Sequence[int], gap: float = 0.01, rounds: int = 2000, progress: Callable | None = None) -> SpreadContention:
    """
    Load of the busiest channel of each stage: with even splitting, with the best splitting, and a lower bound.
    """

class TableSearch:
    """
    Forwarding tables of a tree, optimised for the stages of patterns. An entry is the port through which a
    switch forwards traffic for a host; a class is all flows from one switch to one host, which follow the
    same path.
    """

    def __init__(self, base: Routes, patterns: Sequence[Pattern], placement: Sequence[int]) -> None:
        """
        The stages are the stages of all patterns, one pattern after the other. `base`: the initial tables.
        Raises ArgumentError: it has several planes, or its fabric has no levels; a pattern has another number
        of participants; the data is too large. Raises Error: there is no path between two hosts.
        """

    @property
    def bound(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        Lower bound for the flows on the busiest channel of each stage, for any tables: int32 array (stages,).
        """

    @property
    def host_flows(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        Flows on the busiest link of a host at each stage, which no table changes: int32 array (stages,).
        """

    @property
    def bytes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        Bytes of the longest message of each stage, times its repetitions: int64 array (stages,).
        """

    @property
    def stage_max(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Flows on the busiest channel of each stage: int32 array (stages,)."""

    @property
    def excess(self) -> int:
        """Flows above the bounds; x too many on one channel count x (x + 1) / 2."""

    @property
    def ports(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """
        All possible values of entries, in order: int32 array (choices, 4) of entry, port, channel, and entry at
        the other end (-1: the destination's switch).
        """

    @property
    def demands(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """
        The stages of classes: int32 array (demands, 4) of class, its first entry, stage, and flows.
        """

    @property
    def choices(self) -> list[int]:
        """
        The current port of each entry, as an index counted from 0. Setting raises ArgumentError for choices
        that do not exist.
        """

    @choices.setter
    def choices(self, arg: Sequence[int], /) -> None: ...

    def colour_edges(self) -> int:
        """
        Reach the bound of every stage that shares no class with another, in a tree of two levels with one link
        between each leaf and root. Returns the number of these stages; 0 for other trees.
        """

    def search(self, moves: int = -1, seed: int = 1, progress: Callable | None = None) -> int:
        """
        Tabu search for an excess of 0, in at most this number of moves (-1: as many as take a few seconds).
        Keeps the best tables found, and returns the number of moves. `progress` as for contention().
        """

    def routes(self, engine: str) -> Routes:
        """The current tables, under the name of an engine."""

def read_topology(text: str, file: str) -> Topology:
    """
    The topology in a file of any known format, recognised by its content: ibnetdiscover (also -p), ibsim's
    netlist, iblinkinfo, opensm-subnet.lst, ibdiagnet2.db_csv, Slurm's topology.conf. `file` is the name
    shown in messages. Raises ArgumentError 'FILE:LINE: expected ..., found ...', like all readers.
    """

def format_of(text: str) -> str:
    """
    The name of the format of a text, such as 'topology.yaml'; empty: unknown.
    """

def read_ibnetdiscover(text: str, file: str) -> Topology:
    """The topology in ibnetdiscover's output or in an ibsim netlist."""

def read_subnet_list(text: str, file: str) -> Topology:
    """The topology in opensm-subnet.lst."""

def read_slurm_topology(text: str, file: str, links: int = 1) -> Topology:
    """
    The topology in Slurm's topology.conf. The file does not mention ports: every pair of switches gets this
    number of links.
    """

class SlurmLine:
    """A line of Slurm's configuration."""

    def __init__(self, file: str, line: int, settings: Sequence[tuple[str, str]]) -> None: ...

    @property
    def file(self) -> str: ...

    @property
    def line(self) -> int: ...

    @property
    def settings(self) -> list[tuple[str, str]]:
        """
        Its settings in order, with keys in lower case; ('include', FILE) for an Include.
        """

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

def read_slurm_lines(text: str, file: str) -> list[SlurmLine]:
    """The lines of a file of Slurm's configuration that have settings."""

def make_slurm_topology(lines: Sequence[SlurmLine], file: str, links: int = 1) -> Topology:
    """
    The topology in lines of topology.conf, from any number of files; `file` names it. Every pair of
    switches gets this number of links.
    """

class NodeRecord:
    """A switch or an adapter of a file, for make_net()."""

    def __init__(self, id: str, name: str = '', guid: int = 0, is_switch: bool = False, line: int = 0) -> None: ...

    @property
    def id(self) -> str:
        """By which cables refer to it."""

    @property
    def name(self) -> str:
        """Empty: the id."""

    @property
    def guid(self) -> int:
        """0: the next free one."""

    @property
    def is_switch(self) -> bool: ...

    @property
    def line(self) -> int: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

class CableRecord:
    """A cable of a file, for make_net()."""

    def __init__(self, a: str, a_port: int, b: str, b_port: int, gbps: float = 0.0, line: int = 0) -> None: ...

    @property
    def a(self) -> str:
        """Id of a node."""

    @property
    def a_port(self) -> int: ...

    @property
    def b(self) -> str: ...

    @property
    def b_port(self) -> int: ...

    @property
    def gbps(self) -> float:
        """Signalling rate in Gbit/s; 0: unknown."""

    @property
    def line(self) -> int: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

    def __repr__(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    __hash__: None = None

def make_net(nodes: Sequence[NodeRecord], cables: Sequence[CableRecord], file: str) -> Topology:
    """
    The topology of nodes and cables that were read from `file`. A cable may be given from one end or both.
    Raises ArgumentError, with file and line, for an unknown or repeated id, a port outside 1 .. 65534 or with
    two cables, and a cable between two adapters.
    """

def write_ibsim(topology: Topology) -> str:
    """
    A netlist for ibsim, without LIDs. Raises ArgumentError for a vertex without a unique GUID.
    """

def write_ibnetdiscover(topology: Topology) -> str:
    """
    The format of ibnetdiscover's output, with LIDs and rates. ibsim reads it too, and then assigns these
    LIDs to its ports.
    """

def assign_lids(topology: Topology) -> Topology:
    """
    The same topology with a LID for every vertex: vertices without one get the lowest free LIDs.
    """

def read_routes(topology: Topology, text: str, file: str) -> Routes:
    """
    The Routes in a dump of forwarding tables: opensm-lfts.dump, dump_fts, ibroute or opensm.fdbs. Switches
    are found by GUID, destinations by LID; for destinations without a LID the dump must name port GUIDs.
    """

def write_lfts(routes: Routes) -> str:
    """
    Tables for `opensm -R file -U FILE`. Raises ArgumentError if a vertex has no LID, or a host has fewer
    LIDs than the routes have planes.
    """

def write_simgrid(routes: Routes, link_bytes_per_second: float = 0.0, link_seconds: float = 0.0) -> str:
    """
    A SimGrid platform (XML, version 4.1): hosts, switches as routers, links of two directions with
    bandwidth [byte/s] (0: each link's own rate, or 1.25e9 if it has none) and latency [s], and the route of
    every pair of hosts. Raises ArgumentError above 400,000 pairs of hosts, and for names that XML cannot
    hold or that two vertices share.
    """

def read_ca_order(topology: Topology, text: str, file: str) -> list[int]:
    """The hosts of opensm-ftree-ca-order.dump in order; dummies are -1."""

def read_node_name_map(text: str, file: str) -> dict[int, str]:
    """Names by GUID, from OpenSM's node name map: lines '0xGUID "NAME"'."""

def read_node_list(text: str, file: str) -> list[str]:
    """
    Names in a list in Slurm's bracket form, "node[001-004,7],login", over any number of lines.
    """

def read_traffic(text: str, file: str) -> Pattern:
    """
    A Pattern of lines "stage source destination [bytes]", all numbered from 0; # begins a comment.
    """

def fold_node_list(names: Sequence[str]) -> str:
    """
    The list in Slurm's bracket form. Keeps the order: only neighbours with consecutive numbers are folded.
    """

def write_hostfile(topology: Topology, placement: Sequence[int], launcher: str) -> str:
    """
    A hostfile that makes participant i rank i; dummies are left out. `launcher` is 'mpich' (mpiexec -f
    FILE), 'openmpi' (mpiexec --hostfile FILE --map-by slot), 'openmpi-rankfile', 'slurm' (srun -m
    arbitrary, with SLURM_HOSTFILE=FILE) or 'torchrun' (one line per node: its name, and its options of
    torchrun). Raises ArgumentError if the launcher would order the ranks differently.
    """

def write_rankfile(topology: Topology, placement: Sequence[int], launcher: str) -> str:
    """
    A file with one line for each rank: for 'openmpi' (mpiexec --hostfile HOSTS --map-by
    rankfile:file=FILE); for 'mpich' and 'slurm' the matching form of their hostfiles; for 'torchrun' its
    hostfile.
    """

def write_mpigraph(names: Sequence[str], matrix: Sequence[float]) -> str:
    """
    Tables of bandwidths [MB/s] in the format of mpiGraph. `matrix` has one row for each sender and
    len(names) squared entries; its diagonal is ignored.
    """
