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
