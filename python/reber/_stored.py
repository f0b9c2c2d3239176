# SPDX-License-Identifier: BSD-3-Clause
"""A result without its run: what a pickle holds, in place of the pipeline's memory."""
from .errors import InputError

_SETS = ("pybdsf", "gaul", "srl", "casda", "casda-islands")


class StoredRun:
    """Tables, maps and facts of a finished run, by the names that the run itself has."""

    def __init__(self, run, maps):
        self.beam, self.warnings, self.history, self.cards = run.beam, run.warnings, run.history, run.cards
        self.report, self.shape, self.unit, self.island_count = run.report, run.shape, run.unit, run.island_count
        self.has_islands, self.path, self.may_draw = run.has_islands, run.path, False
        self._maps, self._tables, self._labels = {}, {}, None
        for name in maps:
            try:
                self._maps[name] = run.map(name)
            except InputError:
                pass  # the run has no such map
        if run.has_islands:
            self._labels = run.labels()
            self._tables = {name: run.table(name) for name in _SETS}

    def table(self, columns):
        if columns not in self._tables:
            raise InputError(f"a stored result has the tables {', '.join(self._tables) or '(none)'}; '{columns}' is made by the one it was "
                             "stored from")
        return self._tables[columns]

    def why(self, row):
        return ""

    def map(self, name):
        if name not in self._maps:
            raise InputError(f"a stored result has the maps {', '.join(self._maps) or '(none)'}")
        return self._maps[name].copy()

    def labels(self):
        if self._labels is None:
            raise InputError("this run looked for no islands")
        return self._labels.copy()

    def _gone(self, *_):
        raise InputError("a stored result has tables and maps alone: the one it was stored from writes files, measures places and lends "
                         "maps on a card")

    write = measure = on_device = _gone
