# SPDX-License-Identifier: BSD-3-Clause
"""Reber: finds and measures the sources of radio-astronomical images, on the GPU or the processor.

    import reber
    found = reber.find("image.fits", threshold=5)
    print(len(found.sources), found.sources["Total_flux"].sum(), "Jy")
    found.write("catalogue.fits")
"""
from . import _core
from ._devices import DeviceArray
from ._file_studies import Collapsed, Completeness, Smoothed, Verification, collapse, complete, smooth, verify
from ._imaging import Cube, Mosaic, Regridded, cube, mosaic, regrid
from ._planes import Planes
from ._quality import Report, report
from ._run import Result, background, convolve, find
from ._sep import Background, extract
from ._studies import Matched, Simulated, Table, match, measure, simulate
from .errors import Cancelled, DataError, DeviceError, Error, InputError, InternalError

__version__ = _core.version


def parameters():
    """The parameters of a search: name, keywords, kind, unit, help with range, and default of each."""
    return _core.parameters()


def products():
    """What a run can write or give as a map: name, text, and whether it is a member of Result."""
    return _core.products()


def backends():
    """(name, what it is, why it cannot run here or '') of every backend of this build."""
    return _core.backends()


__all__ = ["Background", "Cancelled", "Collapsed", "Completeness", "Cube", "DataError", "DeviceArray", "DeviceError", "Error",
           "InputError", "InternalError", "Matched", "Mosaic", "Planes", "Regridded", "Report", "Result",
           "Simulated", "Smoothed", "Table", "Verification", "background", "backends", "collapse", "complete", "convolve",
           "cube", "extract", "find", "match", "measure", "mosaic", "parameters", "products", "regrid", "report", "simulate",
           "smooth", "verify"]
