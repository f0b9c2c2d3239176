# SPDX-License-Identifier: BSD-3-Clause
"""Catalogues from Python as the module takes them: paths, structured arrays, Tables, DataFrames, dicts of columns, SkyCoords."""
import os

import numpy as np

from ._images import is_path


def _unit_of(column):
    """(the column in a unit that FITS has a word for, the unit's text)."""
    unit = getattr(column, "unit", None)
    if unit is None:
        return column, ""
    if not hasattr(unit, "to_string"):
        return column, str(unit)
    try:
        return column, unit.to_string("fits")
    except ValueError:  # hour angles, scaled units
        wanted = "deg" if unit.is_equivalent("deg") else unit.decompose().bases[0] if unit.decompose().bases else ""
        factor = unit.to(wanted)
        plain = np.ma.asarray(getattr(column, "value", column)) * factor
        return plain, wanted if isinstance(wanted, str) else wanted.to_string("fits")


def _values_of(column):
    """float64, where what is masked or missing is NaN, or a list of texts; None for a column of arrays."""
    if hasattr(column, "isna") and hasattr(column, "to_numpy"):  # of pandas
        kind = getattr(column.dtype, "kind", "O")
        if kind not in "fiub":
            return [str(one) for one in column.astype(object).where(~column.isna(), "")]
        return np.ascontiguousarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    mask = getattr(column, "mask", None)
    values = np.asarray(getattr(column, "unmasked", column))
    if isinstance(column, np.ma.MaskedArray):
        values = np.asarray(column.data)
    values = np.asarray(getattr(values, "value", values))
    if values.ndim != 1:
        return None
    hidden = np.zeros(values.shape, bool) if mask is None else np.broadcast_to(np.asarray(mask, dtype=bool), values.shape)
    if values.dtype.kind in "fiub":
        return np.ascontiguousarray(np.where(hidden, np.nan, values.astype(np.float64)))
    return ["" if gone else one.decode() if isinstance(one, bytes) else str(one) for one, gone in zip(values.tolist(), hidden)]


def _of_coordinates(places):
    """Columns of a SkyCoord."""
    places = places.icrs
    return {"RA": (np.atleast_1d(np.asarray(places.ra.deg, dtype=np.float64)), "deg"),
            "DEC": (np.atleast_1d(np.asarray(places.dec.deg, dtype=np.float64)), "deg")}


def list_of(table):
    """What the module takes: a path, or {column: (values, unit)}."""
    if is_path(table):
        return os.fsdecode(table)
    if hasattr(table, "icrs") and hasattr(table, "frame"):
        return _of_coordinates(table)
    if hasattr(table, "sources") and hasattr(table, "table"):  # a Result
        columns = table._columns("pybdsf")
        return {name: (values if isinstance(values, list) else np.ascontiguousarray(values, dtype=np.float64), unit)
                for name, (values, unit, *_) in columns.items()}
    if hasattr(table, "rows") and hasattr(table, "_columns"):  # a Table of this package
        return {name: (values if isinstance(values, list) else np.ascontiguousarray(values, dtype=np.float64), unit)
                for name, (values, unit, *_) in table._columns.items()}
    names = getattr(getattr(table, "dtype", None), "names", None) or getattr(table, "colnames", None)
    if names is None:
        names = getattr(table, "columns", None)
    if names is None and isinstance(table, dict):
        names = list(table)
    if names is None:
        raise TypeError("a catalogue was expected: a path, a structured array, a Table, a DataFrame, a dict of columns or a SkyCoord")
    columns = {}
    for name in names:
        column = table[name]
        if hasattr(column, "icrs") and hasattr(column, "frame"):
            columns = {**_of_coordinates(column), **columns}
            continue
        column, unit = _unit_of(column)
        values = _values_of(column)
        if values is not None:
            columns[str(name)] = (values, unit)
    return columns
