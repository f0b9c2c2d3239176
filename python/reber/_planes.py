# SPDX-License-Identifier: BSD-3-Clause
"""What a search of many planes of a cube left."""
import os

from ._tables import Tables, write_parquet
from ._views import table_html, table_text


class Planes(Tables):
    """Rows of all planes, each with Plane, Frequency, Beam_Maj, Beam_Min, Beam_PA and, of an image with such an axis, Stokes.

    Its length is that of .sources, and so are [ ] and iteration. planes: those that were searched; skipped: {plane: why}.
    """

    def __init__(self, rows):
        super().__init__(rows)
        self.planes, self.skipped, self.warnings = rows.searched, dict(rows.skipped), rows.warnings

    def __repr__(self):
        return table_text(self.sources, f"reber.Planes of {len(self.planes)} planes")

    def _repr_html_(self):
        return table_html(self.sources)

    def write(self, path, *, columns="pybdsf", format="", overwrite=False):
        """The rows that `reber find --planes` writes; the format by the path's ending. A name that ends in .parquet is
        written by pyarrow."""
        path = os.fsdecode(path)
        if path.endswith(".parquet"):
            return write_parquet(self.to_arrow(columns), path, overwrite)
        self._rows.write(path, columns, format, overwrite)
