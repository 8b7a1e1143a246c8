"""How Sphinx builds the site: ``make docs``."""

import re
import warnings
from importlib.metadata import version as installed
from typing import Any

project = "bayesdnf"
author = "The bayesdnf developers"
copyright = author
version = release = installed("bayesdnf")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx-mathjax-offline",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "numpydoc",
    "myst_parser",
]
exclude_patterns = ["gallery/*", "verdicts.md", "**/README.md"]
templates_path = ["_templates"]

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3

autosummary_generate = True
# Two names that differ in case only are one file to some machines.
autosummary_filename_map = {"bayesdnf.genomics.Scan": "bayesdnf.genomics.Scan-class"}
autodoc_typehints = "none"  # the types are in the docstrings, in words
autodoc_default_options = {
    "members": True,
    # Our own base classes' methods are shown, those of the libraries below are not.
    "inherited-members": "BaseEstimator, ClassifierMixin, TransformerMixin, tuple, object",
    "exclude-members": "get_metadata_routing, set_output, set_fit_request, set_score_request, "
    "set_predict_request, set_predict_proba_request, set_predict_log_proba_request",
}
numpydoc_show_class_members = False  # the class pages list them themselves
add_module_names = False
toc_object_entries_show_parents = "hide"

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "walkthroughs",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "capture_repr": ("_repr_html_",),  # tables, and no texts of what pictures return
    "show_memory": False,
    "min_reported_time": 60,
    "write_computation_times": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "abort_on_example_error": True,
}
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")

html_theme = "pydata_sphinx_theme"
html_title = "bayesdnf"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_sidebars = {"start": []}  # a page without pages below it
html_theme_options = {
    "show_prev_next": True,
    # All but walkthroughs/, which show tables of text and need the room; no page may match twice.
    "secondary_sidebar_items": {"[!w]*": ["page-toc"], "walkthroughs/*": []},
    "navbar_align": "left",
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
}


def to_walkthroughs(app: Any, docname: str, source: list[str]) -> None:
    """Link to walk-throughs that were run, where a checkout has links to their scripts."""
    source[0] = source[0].replace("](gallery/)", "](walkthroughs/index.rst)")
    source[0] = re.sub(r"\]\(gallery/(\w+)\.py\)", r"](walkthroughs/\1.rst)", source[0])


def setup(app: Any) -> None:
    """Tell Sphinx what to call on each page."""
    app.connect("source-read", to_walkthroughs)
