"""How the documentation is built: ``sphinx-build -W docs output/docs``."""

from system import __version__

project = "factgraph"
copyright = "the factgraph developers"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinxarg.ext",
    "cyclopts.sphinx_ext",
]
html_theme = "furo"
html_title = "factgraph"
exclude_patterns = ["_templates"]
templates_path = ["_templates"]

myst_heading_anchors = 3
autosummary_generate = True
napoleon_use_ivar = True  # or the fields of named tuples would be described twice
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_typehints = "signature"
suppress_warnings = ["ref.python"]  # names that several packages define link to one of them


def setup(app):
    """Leave out the ``Base[Argument]`` that pydantic puts beside a generic base: they are the base once more."""
    app.connect("autodoc-skip-member", lambda app, kind, name, obj, skip, options: skip or "[" in name or None)
