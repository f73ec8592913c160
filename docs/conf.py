"""Settings of the documentation site, which `./run docs` builds into build/site."""

from __future__ import annotations

import sys
from pathlib import Path

import sortlast

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "extensions"))

project = "sortlast"
author = "The sortlast authors"
release = version = sortlast.__version__
project_copyright = author

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "breathe",
    # Extensions of this project.
    "commands",
    "docstrings",
    "drawings",
    "headers",
]
exclude_patterns = ["extensions"]
root_doc = "index"
smartquotes = False  # "--option" stays what it is

# Markdown: links to headings as on other sites, and definition lists for options.
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]

# Python: in the order of the sources, with the types as they are written there.
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_type_aliases = {"ArrayLike": "ArrayLike", "DTypeLike": "DTypeLike", "NDArray": "NDArray"}
autodoc_default_options = {"members": True, "undoc-members": True}
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 90

# C and C++: what Doxygen has read.
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
breathe_show_include = False
cpp_maximum_signature_line_length = c_maximum_signature_line_length = 90

html_theme = "furo"
html_title = f"sortlast {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
