"""Draw pictures with commands of sortlast during the build of the site.

    ```{drawing} sortlast schedule shift --p 8 --draw
    The text below the picture.
    ```

The command ends with the option that names the output file.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Drawing(SphinxDirective):
    """A figure: the picture, its text, and the command."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Draw the picture, unless it exists from an earlier build."""
        command = " ".join(self.arguments[0].split())
        folder = Path(self.env.doctreedir) / "drawings"
        picture = folder / (re.sub(r"[^a-z0-9]+", "-", command.lower()) + ".svg")
        if not picture.exists():
            folder.mkdir(parents=True, exist_ok=True)
            try:
                draw(command, picture)
            except RuntimeError as error:
                raise self.error(str(error)) from None

        # The figure links to the picture, in its full size.
        text = " ".join(self.content)
        place = os.path.relpath(picture, Path(self.env.doc2path(self.env.docname)).parent)
        figure = nodes.figure("", nodes.image(uri=place, alt=text), classes=["drawing"])
        parsed, messages = self.parse_inline(text)
        shown = nodes.literal(command, f"{command} FILE")
        figure += nodes.caption("", "", *parsed, nodes.Text(" "), shown)
        self.set_source_info(figure)
        return [figure, *messages]


def draw(command: str, picture: Path) -> None:
    """Run the command with the path of the picture appended. Raises RuntimeError with its output."""
    program, *args = shlex.split(command)
    if program != "sortlast":
        raise RuntimeError(f"{command!r} is not a command of sortlast")
    done = subprocess.run(
        [sys.executable, "-m", "sortlast", *args, str(picture)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if not picture.exists():
        raise RuntimeError(f"{command} drew nothing:\n{done.stdout}")


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("drawing", Drawing)
    return {"parallel_read_safe": True}
