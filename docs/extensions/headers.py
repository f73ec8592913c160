"""The public headers of C and C++, as Doxygen reads them, for Breathe."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

_ROOT = Path(__file__).parents[2]
_FILTER = Path(__file__).with_name("doxygen_filter.py")
_SETTINGS = """
QUIET = YES
WARN_IF_UNDOCUMENTED = NO
WARN_AS_ERROR = FAIL_ON_WARNINGS
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
RECURSIVE = YES
EXTRACT_ALL = YES
SORT_MEMBER_DOCS = NO
AUTOLINK_SUPPORT = NO
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = SORTLAST_API=
EXCLUDE_SYMBOLS = detail scalar_of
"""
_LANGUAGES = {"cpp": "include/sortlast", "c": "capi/sortlast.h capi/sortlast_mpi.h"}


def read(app: Sphinx) -> None:
    """Run Doxygen on the headers and pass the folder of its XML to Breathe."""
    doxygen = shutil.which("doxygen")
    if doxygen is None:
        raise ExtensionError("doxygen is not installed; it is in the Debian package doxygen")
    for language, files in _LANGUAGES.items():
        folder = Path(app.doctreedir) / "doxygen" / language
        folder.mkdir(parents=True, exist_ok=True)
        settings = (
            f"{_SETTINGS}INPUT = {files}\nOUTPUT_DIRECTORY = {folder}\n"
            f'INPUT_FILTER = "{sys.executable} {_FILTER}"\nFULL_PATH_NAMES = YES\n'
            f"STRIP_FROM_PATH = include capi\nOPTIMIZE_OUTPUT_FOR_C = {'YES' if language == 'c' else 'NO'}\n"
        )
        done = subprocess.run(
            [doxygen, "-"],
            input=settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=_ROOT,
            check=False,
        )
        if done.returncode != 0:
            raise ExtensionError(f"doxygen does not understand the headers of {language}:\n{done.stdout}")
        app.config.breathe_projects[language] = str(folder / "xml")


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("builder-inited", read, priority=100)  # before Breathe looks
    return {"parallel_read_safe": True}
