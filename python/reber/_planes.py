# SPDX-License-Identifier: BSD-3-Clause
"""What a search of many planes of a cube left."""
import os

from ._tables import arrow_of, pandas_of, qtable_of, rows_of, write_parquet
from ._views import table_html, table_text


class Planes:
    """Rows of all planes, each with Plane, Frequency, Beam_Maj, Beam_Min, Beam_PA and, of an image with such an axis, Stokes.

    Its length is that of .sources, and so are [ ] and iteration. planes: those that were searched; skipped: {plane: why}.
    """

    def __init__(self, rows):
        self._rows = rows
        self._tables = {}
        self.planes, self.skipped, self.warnings = rows.searched, dict(rows.skipped), rows.warnings

    def __repr__(self):
        return table_text(self.sources, f"reber.Planes of {len(self.planes)} planes")

    def _repr_html_(self):
        return table_html(self.sources)

    def __len__(self):
        return len(self.sources)

    def __iter__(self):
        return iter(self.sources)

    def __getitem__(self, key):
        return self.sources[key]

    def _columns(self, columns):
        if columns not in self._tables:
            self._tables[columns] = self._rows.table(columns)
        return self._tables[columns]

    def table(self, columns="pybdsf"):
        """A NumPy structured array. columns: pybdsf, gaul, srl, casda or casda-islands (docs/columns.md)."""
        return rows_of(self._columns(columns))

    @property
    def sources(self):
        """One row per fitted component and plane."""
        return self.table()

    def to_table(self, columns="pybdsf"):
        """An astropy QTable with units and descriptions."""
        return qtable_of(self._columns(columns), self.table(columns))

    def to_pandas(self, columns="pybdsf"):
        """A pandas DataFrame."""
        return pandas_of(self.table(columns))

    def to_arrow(self, columns="pybdsf"):
        """A pyarrow Table."""
        return arrow_of(self._columns(columns), self.table(columns), {})

    def write(self, path, *, columns="pybdsf", format="", overwrite=False):
        """The rows that `reber find --planes` writes; the format by the path's ending. A name that ends in .parquet is
        written by pyarrow."""
        path = os.fsdecode(path)
        if path.endswith(".parquet"):
            return write_parquet(self.to_arrow(columns), path, overwrite)
        self._rows.write(path, columns, format, overwrite)
