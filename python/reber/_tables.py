# SPDX-License-Identifier: BSD-3-Clause
"""Columns of the module as NumPy, astropy and pandas tables."""
import numpy as np


def rows_of(columns):
    """{name: (values, unit, UCD, text)} as a structured array."""
    arrays = {name: np.asarray(values) for name, (values, *_) in columns.items()}
    count = len(next(iter(arrays.values()))) if arrays else 0
    kinds = [(name, array.dtype if count or not isinstance(columns[name][0], list) else "U1")
             for name, array in arrays.items()]
    rows = np.empty(count, dtype=kinds)
    for name, array in arrays.items():
        rows[name] = array
    return rows


def qtable_of(columns, rows):
    """An astropy QTable with units and descriptions."""
    from astropy import units
    from astropy.table import QTable

    table = QTable({name: rows[name] for name in rows.dtype.names})
    for name, (_, unit, ucd, text) in columns.items():
        if unit and rows[name].dtype.kind == "f":
            table[name] = table[name] * units.Unit(unit, format="fits", parse_strict="silent")
        table[name].info.description = text
        table[name].info.meta = {"ucd": ucd}
    return table


def pandas_of(rows):
    """A pandas DataFrame."""
    import pandas

    return pandas.DataFrame({name: rows[name] for name in rows.dtype.names})


def arrow_of(columns, rows, meta):
    """A pyarrow Table; unit, UCD and description of each column are its field's metadata."""
    import pyarrow

    fields, arrays = [], []
    for name, (_, unit, ucd, text) in columns.items():
        values = rows[name]
        told = {key: value for key, value in (("unit", unit), ("ucd", ucd), ("description", text)) if value}
        array = pyarrow.array(values.tolist() if values.dtype.kind == "U" else values)
        arrays.append(array)
        fields.append(pyarrow.field(name, pyarrow.string() if values.dtype.kind == "U" else array.type, metadata=told))
    return pyarrow.Table.from_arrays([array.cast(field.type) for array, field in zip(arrays, fields)],
                                     schema=pyarrow.schema(fields, metadata=meta))


class Tables:
    """The rows of a search. Its length is that of .sources; result[i], result["Total_flux"], iteration and masks are those
    of .sources as well."""

    history = None

    def __init__(self, rows):
        """rows: has table(columns)."""
        self._rows = rows
        self._tables = {}

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
        """The catalogue as a NumPy structured array. columns: as --columns of the command line (docs/columns.md)."""
        return rows_of(self._columns(columns))

    @property
    def sources(self):
        """One row per fitted component, of many planes one per component and plane; degrees, Jy and Jy/beam: Reber's own table.
        A component is what PyBDSF calls a Gaussian; its sources, which group them, are table("srl")."""
        return self.table()

    def to_table(self, columns="pybdsf"):
        """The catalogue as an astropy QTable with units and descriptions."""
        table = qtable_of(self._columns(columns), self.table(columns))
        if self.history is not None:
            table.meta["history"] = self.history
        return table

    def to_pandas(self, columns="pybdsf"):
        """The catalogue as a pandas DataFrame."""
        return pandas_of(self.table(columns))

    def to_arrow(self, columns="pybdsf"):
        """The catalogue as a pyarrow Table, with units, UCDs and descriptions as metadata of its fields."""
        meta = {} if self.history is None else {"history": "\n".join(self.history)}
        return arrow_of(self._columns(columns), self.table(columns), meta)


def write_parquet(table, path, overwrite):
    """A pyarrow Table as a Parquet file that appears whole."""
    import os
    import tempfile

    from pyarrow import parquet

    from .errors import InputError

    if not overwrite and os.path.lexists(path):
        raise InputError(f"{path} exists; use overwrite=True to replace it, or choose another name")
    handle, beside = tempfile.mkstemp(prefix=".reber-", dir=os.path.dirname(path) or ".")
    os.close(handle)
    try:
        parquet.write_table(table, beside)
        os.chmod(beside, 0o666 & ~_umask())
        if overwrite:
            os.replace(beside, path)
        else:
            os.link(beside, path)  # fails where the name has been taken meanwhile
    finally:
        if os.path.lexists(beside):
            os.unlink(beside)


def _umask():
    import os

    mask = os.umask(0)
    os.umask(mask)
    return mask
