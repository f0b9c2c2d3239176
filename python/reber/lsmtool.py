# SPDX-License-Identifier: BSD-3-Clause
"""LSMTool's filter_skymodel with Reber as its source finder:

    import reber.lsmtool
    lsmtool.filter_skymodel.filter_skymodel(..., source_finder="reber")

LSMTool's own code runs (masks, patches, dummy models, files), on reber.bdsf in place of PyBDSF. Importing LSMTool needs
PyBDSF all the same.
"""
import types

from . import bdsf as _bdsf


def _on_reber():
    """LSMTool's module for PyBDSF, its functions bound to reber.bdsf; LSMTool's own stays as it is."""
    from lsmtool.filter_skymodel import bdsf as theirs

    module = types.ModuleType(__name__ + ".functions", theirs.__doc__)
    names = vars(module)
    names.update({name: value for name, value in vars(theirs).items() if not name.startswith("__")})
    names["bdsf"] = _bdsf
    for name, value in vars(theirs).items():
        if isinstance(value, types.FunctionType) and value.__module__ == theirs.__name__:
            bound = types.FunctionType(value.__code__, names, name, value.__defaults__, value.__closure__)
            bound.__kwdefaults__, bound.__doc__ = value.__kwdefaults__, value.__doc__
            names[name] = bound
    return module


def filter_skymodel(*images_and_models, **options):
    """Arguments and result of lsmtool.filter_skymodel.bdsf.filter_skymodel."""
    return _on_reber().filter_skymodel(*images_and_models, **options)


def register():
    """Makes source_finder="reber" known to LSMTool; importing this module does so. Where LSMTool is not installed:
    ModuleNotFoundError."""
    import sys

    import lsmtool.filter_skymodel

    lsmtool.filter_skymodel.KNOWN_SOURCE_FINDERS["reber"] = sys.modules[__name__]


register()
