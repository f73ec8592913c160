"""``sortlast study``: the tables and figures of papers beside ours, and a study of our own.

One command a study, all alike but for narrowed-trees, which has options of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import cleandoc
from pathlib import Path

import typer

from sortlast.cli import _terminal
from sortlast.cli.study import _run
from sortlast.cli.study._options import Output, Port, Quick, Testbed, Workers
from sortlast.cli.study.narrowed_trees import narrowed_trees
from sortlast.study.studies import STUDIES, WITHOUT_PAPER

_BESIDE_A_PAPER = """\
Prints the tables and figures beside the published values: what is computed or simulated, and what is
measured on this machine, are columns of their own.
"""
_ALONE = """\
Prints tables and figures of simulated frames. There are no published ones to be put beside them, and nothing
is measured.
"""
_KEPT = """\
Finished steps are kept in the output folder: a study that was ended goes on where it stopped. The folder
then holds `report.html`, `report.md` and the pictures.
"""


def register(app: typer.Typer) -> None:
    """Add the command, a group with one member a study, and one for all."""
    group = typer.Typer(
        no_args_is_help=True, help="The tables and figures of a paper, beside the published ones."
    )
    for name, about in STUDIES.items():
        if name == "narrowed-trees":
            command, more = narrowed_trees, cleandoc(narrowed_trees.__doc__ or "")
        else:
            command, more = _command(name), (_ALONE if name in WITHOUT_PAPER else _BESIDE_A_PAPER) + _KEPT
        group.command(name, help=f"{about}\n\n{more}")(command)
    group.command("all")(every)
    app.add_typer(group, name="study")


def _command(name: str) -> Callable[..., None]:
    def start(output: Path, quick: bool, workers: int | None, **options: bool) -> None:
        from sortlast.study.studies import load

        _run.prepare(output, "report.md")
        _run.run(load(name), output, quick=quick, workers=workers, options=_given(options))

    def plain(output: Output = Path(name), quick: Quick = False, workers: Workers = None) -> None:
        start(output, quick, workers)

    def with_testbed(
        output: Output = Path(name), quick: Quick = False, workers: Workers = None, testbed: Testbed = False
    ) -> None:
        start(output, quick, workers, testbed=testbed)

    def with_port(
        output: Output = Path(name),
        quick: Quick = False,
        workers: Workers = None,
        testbed: Testbed = False,
        port: Port = False,
    ) -> None:
        start(output, quick, workers, testbed=testbed, port=port)

    return {"all-to-all": with_testbed, "hardware-barrier": with_port}.get(name, plain)


def _given(options: Mapping[str, bool]) -> list[str]:
    """Names of those that were given."""
    return [name for name, given in options.items() if given]


def every(
    output: Output = Path("studies"),
    quick: Quick = False,
    workers: Workers = None,
    testbed: Testbed = False,
    port: Port = False,
) -> None:
    """All studies, each in a folder of its own, and an overview.

    The overview lists every numbered table and figure of the papers: how it was reproduced, how near, and
    where not and why. It is written as `overview.html` and `overview.md` and printed.
    """
    from sortlast.files import replacing
    from sortlast.study.document import markdown, show
    from sortlast.study.overview import overview
    from sortlast.study.page import render
    from sortlast.study.studies import load

    _run.prepare(output, "overview.md")
    options = _given({"testbed": testbed, "port": port})
    studies = {name: load(name) for name in STUDIES}
    reproduced = {}
    for name, study in studies.items():
        results = _run.run(study, output / name, quick=quick, workers=workers, options=options, printed=False)
        reproduced[name] = study.reproduced(results, quick)
    document = overview(reproduced, studies)
    show(document, _terminal.console())
    for name, content in (("overview.md", markdown(document)), ("overview.html", render(document, {}))):
        with replacing(output / name) as temporary:
            temporary.write_text(content, encoding="utf-8")
        typer.echo(f"wrote {output / name}")
