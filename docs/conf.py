"""The site of the documentation: `sphinx-build -W docs out/docs`, with the extra `docs`."""

import re
from pathlib import Path

from gtp_variants import __version__ as release

project, author = "gtp-variants", "the gtp-variants authors"
project_copyright = author
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["README.md"]
html_theme = "furo"
html_title = f"{project} {release}"
html_show_sourcelink = False
myst_heading_anchors = 4
# A name in single backticks is code, as in Markdown.
default_role = "code"
# The adapters import what only those who want it install.
autodoc_mock_imports = ["gymnasium", "pettingzoo", "pyspiel"]
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True

_PACKAGE = Path(__file__).parent.parent / "gtp_variants"
# A line of a list of names, such as "`stones`    one byte a point".
_NAME = re.compile(r"`(\w+)`\s{2,}(.*)")


def lay_out_names(app, what, name, obj, options, lines):
    """Show the lists of names in docstrings as lists: reStructuredText takes them for one paragraph."""
    laid_out = []
    is_list = False
    for line in lines:
        found = _NAME.fullmatch(line)
        if found and not is_list and laid_out and laid_out[-1]:
            laid_out.append("")
        is_list = bool(found) or (is_list and line.startswith(" "))
        laid_out.append(f":{found[1]}: {found[2]}" if found else line)
    lines[:] = laid_out


def include_floor_plan(app, docname, content):
    """Give the page `floor-plan` the text of the package's own README, its links as seen from here."""
    if docname == "floor-plan":
        text = (_PACKAGE / "README.md").read_text(encoding="utf-8")
        content[0] = text.replace("](../docs/", "](")
    elif docname == "architecture":
        content[0] = content[0].replace("](../gtp_variants/README.md)", "](floor-plan.md)")


def setup(app):
    app.connect("autodoc-process-docstring", lay_out_names)
    app.connect("source-read", include_floor_plan)
