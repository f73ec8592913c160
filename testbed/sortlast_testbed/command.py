"""``python -m sortlast_testbed``: hosts and switches of a small fabric in network namespaces."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortlast.cli import _terminal
from sortlast.cli.fabric import _inputs, _options, _show
from sortlast_testbed import _record_command, _time_command

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from sortlast_testbed import Measured, Testbed

_NAMED = 5  # max pairs that are listed

Name = Annotated[str, typer.Option(help="Name of the testbed on this machine: letters a-z and digits.")]
Order = Annotated[
    str, typer.Option(help="Order of the nodes: routing, listed, alphabetical, natural or random.")
]
Ranks = Annotated[
    int | None, typer.Option(min=1, show_default="all", help="Take the first nodes of the order.")
]
RanksPerHost = Annotated[
    int, typer.Option(min=1, help="Consecutive ranks on each node; they share its memory.")
]


app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="A small fabric of network namespaces on this machine: real packets. Needs root.",
)
app.command()(_time_command.time)
app.command()(_record_command.record)


@app.command()
def up(
    net: _options.Net = "k-ary-n-tree:4,2",
    engine: _options.Engine = _options.ENGINE,
    lft: _options.Lft = None,
    rate: Annotated[float, typer.Option(help="Rate of each end of a cable, in Mbit/s.")] = 50.0,
    seed: _options.Seed = 1,
    name: Name = "testbed",
) -> None:
    """Make hosts and switches, with the routes of an engine's forwarding tables.

    Each is a network namespace; each link is a pair of interfaces that send at the given rate. No packets
    leave the machine, and its own network is not involved. A testbed with the same settings that is already
    up is kept.

    Ranks of all hosts share this machine's cores: choose a rate at which the links are the bottleneck. 16
    hosts at 50 Mbit/s move 100 MB/s, which two cores can handle.
    """
    from sortlast import Error
    from sortlast_testbed import Settings, Testbed, remove_stale

    file = Path(net)
    tables = None if lft is None else str(lft.resolve())
    wanted = Settings(str(file.resolve()) if file.is_file() else net, engine, seed, rate, tables)
    testbed = Testbed(wanted, name)
    try:
        there = Testbed.found(name).settings
    except Error:
        there = None
    if there is not None and there != wanted:
        raise Error(
            f"testbed {name!r} is up with other settings ({there}); run python -m sortlast_testbed down first"
        )
    if there is None:
        testbed.make()
    else:
        remove_stale()
    _terminal.console().print(
        f"{testbed.topology.name}: {_show.size(testbed.topology)}, {_show.routing(testbed.routes)},"
        f" {rate:g} Mbit/s; namespaces {testbed.prefix}*",
        soft_wrap=True,
    )


@app.command()
def down(name: Name = "testbed") -> None:
    """Remove a testbed, and end all processes in it.

    Also removes incomplete testbeds, and testbeds of Python programs that were killed.
    """
    from sortlast import Error
    from sortlast_testbed import remove, remove_stale, why_not

    if reason := why_not():
        raise Error(reason)
    removed = remove(name)
    remove_stale()
    _terminal.console().print(f"removed {_show.count(len(removed), 'namespace')}")


@app.command(context_settings={"ignore_unknown_options": True})
def run(
    command: Annotated[list[str], typer.Argument(help="Command with its arguments, after --.")],
    nodes: _options.Nodes = "all",
    order: Order = "routing",
    ranks: Ranks = None,
    ranks_per_host: RanksPerHost = 1,
    seed: _options.Seed = 1,
    timeout: Annotated[float | None, typer.Option(min=1, help="Limit in seconds.")] = None,
    name: Name = "testbed",
) -> None:
    """Run a command under MPI, with one or several ranks per host, in an order of the hosts.

    The exit status is mpiexec's. However the command ends, nothing is left running on the hosts.
    """
    import sortlast_testbed as testbeds

    testbed = testbeds.Testbed.found(name)
    hosts = _hosts(testbed, nodes, order, ranks, seed, ranks_per_host)
    raise typer.Exit(testbeds.run(testbed, hosts, command, timeout, ranks_per_host=ranks_per_host))


@app.command()
def bandwidth(
    nodes: _options.Nodes = "all",
    order: Order = "routing",
    ranks: Ranks = None,
    seed: _options.Seed = 1,
    message_bytes: Annotated[int, typer.Option("--bytes", min=1, help="Bytes of a message.")] = 500_000,
    repeat: Annotated[int, typer.Option(min=1, help="Timed runs of each stage; the median counts.")] = 3,
    output: Annotated[
        Path | None, typer.Option(help="Draw both matrices with their histograms: png, svg or pdf.")
    ] = None,
    json: _options.Json = None,
    name: Name = "testbed",
) -> None:
    """Measure a shift: the bandwidth of every pair and the bytes on every link, compared with predictions.

    A pair is contended if it has less than 0.75 of a link. Exit status is 0 if in every stage every channel
    carried as many messages as the forwarding tables predict, and 1 if not.
    """
    import sortlast_testbed as testbeds

    _terminal.check_places(json, pictures=[output])
    if output is not None:
        from sortlast import plot

        plot.check_format(output)
    testbed = testbeds.Testbed.found(name)
    _terminal.hand_on()
    found = testbeds.measure(testbed, _hosts(testbed, nodes, order, ranks, seed), message_bytes, repeat)
    if output is not None:
        from sortlast.plot import bandwidth as picture

        plot.save(picture.draw({"measured": found.bandwidths, "predicted": found.predicted}), output)
    if json is not None:
        _terminal.write_json(_report(testbed, found), json)
    console = _terminal.console(output, json)
    console.print(_table(found))
    _name_differences(found, console)
    _terminal.name_written(console, output, json)
    raise typer.Exit(1 if found.flows_differ else 0)


def _hosts(
    testbed: Testbed, nodes: str, order: str, ranks: int | None, seed: int, ranks_per_host: int = 1
) -> list[int]:
    """Hosts of the ranks, each once."""
    from sortlast import Error

    hosts = [host for host in _inputs.placement(testbed.topology, nodes, order, seed) if host >= 0]
    if ranks is None:
        return hosts
    count, rest = divmod(ranks, ranks_per_host)
    if rest:
        raise Error(f"{ranks} ranks do not spread evenly over hosts of {ranks_per_host}; ask for a multiple")
    if count > len(hosts):
        each = "one rank" if ranks_per_host == 1 else f"{ranks_per_host} ranks"
        raise Error(f"--ranks {ranks}, but there are {len(hosts)} nodes; a host runs {each}")
    return hosts[:count]


def _table(found: Measured) -> Table:
    measured, predicted = found.contended_measured, found.contended_predicted
    agreement = found.rank_correlation
    speeds = {"measured": found.bandwidths, "predicted": found.predicted}
    pairs = [
        (
            f"MB/s {name}",
            f"{each.minimum / 1e6:.2f} min, {each.mean / 1e6:.2f} mean, {each.maximum / 1e6:.2f} max",
        )
        for name, each in speeds.items()
    ]
    compared = found.bandwidths.p * (found.bandwidths.p - 1) - len(found.mutual)
    return _show.facts(
        [
            ("shift", f"{found.bandwidths.p} ranks, messages of {found.bandwidths.message_bytes:,} bytes"),
            ("a link for TCP", f"{found.link_bandwidth / 1e6:.2f} MB/s"),
            *pairs,
            (
                "contended pairs",
                f"{len(measured)} measured, {len(predicted)} predicted, {len(measured & predicted)} in both,"
                f" of {compared}",
            ),
            (
                "rank correlation",
                "none, all are predicted alike" if agreement is None else f"{agreement:.3f}",
            ),
            (
                "messages by channel",
                f"{found.flows_differ} of {found.flows.size:,} counts differ from the prediction;"
                f" at most {100 * found.overhead:.1f} % of a message beside it",
            ),
            ("lost packets", str(found.dropped)),
        ]
    )


def _name_differences(found: Measured, console: Console) -> None:
    """List pairs that are contended in only one matrix."""
    for what, pairs in (
        ("measured", found.contended_measured - found.contended_predicted),
        ("predicted", found.contended_predicted - found.contended_measured),
    ):
        if pairs:
            named = ", ".join(f"{sender} to {receiver}" for sender, receiver in sorted(pairs)[:_NAMED])
            more = f" and {len(pairs) - _NAMED} more" if len(pairs) > _NAMED else ""
            console.print(f"contended as {what} alone: {named}{more}", soft_wrap=True)


def _report(testbed: Testbed, found: Measured) -> dict[str, Any]:
    return {
        "hosts": [testbed.hosts[host] for host in found.hosts],
        "message_bytes": found.bandwidths.message_bytes,
        "link_bandwidth": found.link_bandwidth,
        "measured": found.bandwidths.matrix.tolist(),
        "predicted": found.predicted.matrix.tolist(),
        "contended_measured": sorted(found.contended_measured),
        "contended_predicted": sorted(found.contended_predicted),
        "rank_correlation": found.rank_correlation,
        "flows": found.flows.tolist(),
        "predicted_flows": found.predicted_flows.tolist(),
        "flows_differ": found.flows_differ,
        "dropped": found.dropped,
    }
