# SPDX-License-Identifier: BSD-3-Clause
"""The quality of an image: what `reber report` measures."""
import json
import os

import numpy as np

from . import _core
from ._file_studies import _image_call
from ._images import is_path
from ._keywords import told
from ._lists import list_of
from ._run import _run, _split
from ._studies import Table
from .errors import InputError


class Report:
    """.verdict in a sentence; .metrics, a Table with one row per metric (name, of, value, error, unit, status, because_of);
    .page (HTML), .casda (VOTable) and .summary (what NAME.json holds)."""

    def __init__(self, summary, page, casda):
        self.summary, self.page, self.casda = json.loads(summary), page, casda
        self.verdict = self.summary["verdict"]
        rows = self.summary["metrics"]
        columns = {name: ([row[name] for row in rows], "", "", text) for name, text in (
            ("name", "Of the metric"), ("of", "Catalogue that it is against"), ("unit", "Of the value"),
            ("status", "pass, uncertain, fail, no level, not measured"), ("because_of", "What explains a flag"))}
        for name, text in (("value", "Measured"), ("error", "1 sigma; NaN: not known")):
            columns[name] = (np.array([np.nan if row[name] is None else row[name] for row in rows], dtype=float), "", "", text)
        self.metrics = Table({name: columns[name] for name in ("name", "of", "value", "error", "unit", "status", "because_of")})

    def __repr__(self):
        return f"reber.Report: {self.verdict}"


def _against(lists):
    """[(path, None) or (name, columns)]"""
    if not isinstance(lists, dict):
        alone = is_path(lists) or not isinstance(lists, (list, tuple))
        lists = {f"list {k}": one for k, one in enumerate([lists] if alone else lists, 1)}
    return [(os.fsdecode(one), None) if is_path(one) else (str(name), list_of(one)) for name, one in lists.items()]


@told(_run, "background", "detect", "measure", "fit")
def report(image, *, against=(), levels="default", quick=False, output="", overwrite=False, **options):
    """The quality of an image: noise, completeness, astrometry, flux scale, each against a level.

    against: catalogues, each as `at` of measure(), or {name: catalogue}; a path may end in '@MHZ' where the file has no
    frequency. levels: 'default', 'askap', or a file. quick: without completeness, which takes many searches. output: a page
    NAME.html to write, with NAME.json, NAME.xml and NAME.completeness.json, which the next call uses. Else as find().
    """
    own, settings = _split(options)
    for name in ("negative", "reliability"):
        if name in settings:
            raise TypeError(f"'{name}' has no meaning here: a report looks for negative sources in any case")
    output = os.fsdecode(output)
    if output and not output.endswith(".html"):
        raise InputError(f"output={output!r}: a name that ends in .html was expected")
    if output and not overwrite and os.path.exists(output):
        raise InputError(f"{output} exists; overwrite=True replaces it")

    def work(path, settings, with_, beam, progress):
        return _core.report(path, settings, with_, beam, _against(against), os.fsdecode(levels), bool(quick), output,
                            bool(overwrite), progress)

    return Report(*_image_call(image, own, settings, work))
