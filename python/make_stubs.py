#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the types of the package's public names: PYTHONPATH=BUILD/python make_stubs.py > python/reber/__init__.pyi"""
import inspect
import sys

sys.path.pop(0)  # the sources beside this file, which have no module
import reber  # noqa: E402

_HEAD = '''# Made by python/make_stubs.py from the table of parameters.
from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str
_Path = str | bytes | PathLike[str]
_Beam = float | tuple[float, float, float] | Any
_Progress = Callable[[str, float], Any] | bool
'''
# Keywords of all calls on an image, and what they take; others take what the table of parameters says.
_TYPES = {"header": "Any", "wcs": "Any", "beam": "_Beam | None", "unit": "Any", "mask": "ArrayLike | None",
          "hdu": "int | None", "plane": "int | None", "check": "bool", "backend": "str", "device": "int | None",
          "threads": "int", "device_memory": "int", "progress": "_Progress | None", "image": "Any", "kernel": "Any",
          "mean": "float | str | ArrayLike | None", "rms": "float | str | ArrayLike | None",
          "at": "Any", "columns": "str", "free": "str", "shape": "str", "limit": "float", "a": "Any", "b": "Any",
          "radius": "float", "columns_a": "str", "columns_b": "str", "size": "int | tuple[int, int]", "scene": "str",
          "data": "ArrayLike", "thresh": "float", "err": "float | ArrayLike | None", "minarea": "int",
          "segmentation_map": "bool", "bw": "int", "bh": "int", "fw": "int", "fh": "int", "dilate": "int",
          "path": "_Path", "what": "str", "stream": "Any", "max_version": "Any", "dl_device": "Any", "format": "str", "patches": "str", "overwrite": "bool", "dtype": "Any",
          "copy": "Any", "options": "Any", "number": "int", "bins": "int", "snr": "Any", "flux": "Any", "into": "str",
          "separation": "float", "seed": "int", "plot": "_Path", "files": "Any", "folder": "_Path | None",
          "to_beam": "_Beam | None", "per_plane": "bool", "max_beam": "float | None", "image_beam": "_Beam | None",
          "dry_run": "bool", "cube": "_Path", "how": "str", "planes": "Any", "output": "_Path",
          "against": "Any", "levels": "_Path", "quick": "bool", "images": "Any", "steps": "Any", "like": "Any",
          "projection": "str | None", "centre": "Any", "pixel": "float | None", "rotate": "float", "frame": "str | None",
          "interpolation": "str", "beam_is": "str", "use_rms_map": "Any", "write_rms_map": "_Path | bool",
          "write_psf_map": "_Path | bool", "write_weight": "_Path | bool", "coverage": "_Path", "common": "bool",
          "beam_model": "str", "pb_corrected": "bool", "weights": "Any", "cutoff": "float", "final_cutoff": "float",
          "shifts": "Any", "scales": "Any"}
# Where the same word is another thing.
_OF = {"complete": {"size": "float", "snr": "tuple[float, float]", "flux": "tuple[float, float] | None"},
       "collapse": {"snr": "float"}, "cube": {"image": "Any"}}
_ON_A_GRID = {"size": "int | tuple[int, int] | None"}
_OF |= {"regrid": _ON_A_GRID, "mosaic": _ON_A_GRID}
_GIVES = {"complete": "Completeness", "smooth": "Smoothed", "verify": "Verification", "report": "Report", "collapse": "Collapsed",
          "regrid": "Regridded", "mosaic": "Mosaic", "cube": "Cube", "find": "Result | Any", "background": "Result", "convolve": "Result", "measure": "Table", "match": "Matched",
          "simulate": "Simulated", "extract": "Any", "parameters": "list[dict[str, Any]]", "products": "list[dict[str, Any]]",
          "backends": "list[tuple[str, str, str]]"}
_MAP, _ROWS = "NDArray[np.float32]", "NDArray[np.void]"
_WRITTEN = {"maps": "Mapping[str, NDArray[np.float32]]", "cards": "str", "header": "Any", "outputs": "list[str]",
            "history": "list[str]", "warnings": "list[str]"}
_MEMBERS = {
    "Result": {"labels": "NDArray[np.int32]", "header": "Any",
               "beam": "tuple[float, float, float] | None", "warnings": "list[str]", "history": "list[str]",
               "shape": "tuple[int, int]", "report": "dict[str, Any]", "sources": _ROWS, "gaussians": _ROWS,
               "islands": _ROWS, "table": _ROWS, "mask": "NDArray[np.bool_]",
               "on_device": "DeviceArray", "bytes_over_the_bus": "tuple[int, int]",
               "write": "None", "to_table": "Any", "to_pandas": "Any", "to_arrow": "Any", "to_xarray": "Any", "plot": "Any",
               "show": "Any", "view": "Any", "source": "str", "unit": "str", "cards": "list[str]", "searched": "bool", "can_draw": "bool",
               "__len__": "int", "__iter__": "Iterator[Any]", "__getitem__": "Any"},
    "Planes": {"planes": "list[int]", "skipped": "dict[int, str]", "warnings": "list[str]", "sources": _ROWS, "table": _ROWS,
               "to_table": "Any", "to_pandas": "Any", "to_arrow": "Any", "write": "None", "__len__": "int", "__iter__": "Iterator[Any]",
               "__getitem__": "Any"},
    "DeviceArray": {"shape": "tuple[int, int]", "dtype": "np.dtype[Any]", "card": "int",
                    "__cuda_array_interface__": "dict[str, Any]", "__dlpack__": "Any", "__dlpack_device__": "tuple[int, int]"},
    "Table": {"rows": _ROWS, "to_table": "Any", "to_pandas": "Any", "to_arrow": "Any", "__len__": "int",
              "__iter__": "Iterator[Any]", "__getitem__": "NDArray[Any]"},
    "Matched": {"pairs": "Table", "only_a": "Table", "only_b": "Table", "summary": "dict[str, Any]"},
    "Completeness": {"bins": "Table", "summary": "dict[str, Any]", "snr_50": "float", "snr_90": "float"},
    "Smoothed": {"planes": "Table", "outputs": "list[str]", "beam": "tuple[float, float, float] | None",
                 "warnings": "list[str]"},
    "Verification": {"passed": "bool", "checks": "Table", "backend": "str", "device": "str", "__bool__": "bool"},
    "Report": {"verdict": "str", "metrics": "Table", "page": "str", "casda": "str", "summary": "dict[str, Any]"},
    "Collapsed": {"image": _MAP, "cards": "str", "planes": "list[int]", "history": "list[str]",
                  "warnings": "list[str]", "header": "Any"},
    "Regridded": {"image": "NDArray[np.float32] | DeviceArray"} | _WRITTEN | {"beam": "tuple[float, float, float] | None", "noise_gain": "float"},
    "Mosaic": {"image": _MAP, "weight": _MAP, "rms": _MAP} | _WRITTEN | {"beam": "tuple[float, float, float] | None"},
    "Cube": {"cube": _MAP} | _WRITTEN | {"planes": "list[int]"},
    "Simulated": {"image": _MAP, "cards": "str", "truth": "Table", "header": "Any"},
    "Background": {"back": _MAP, "rms": _MAP, "globalback": "float", "globalrms": "float", "subfrom": "None",
                   "__init__": "None", "__array__": "NDArray[Any]", "__rsub__": "NDArray[Any]"},
}


def typed(one, function=""):
    kind = _OF.get(function, {}).get(one.name) or _TYPES.get(one.name)
    if kind is None:
        kind = one.annotation.__name__ if one.annotation in (bool, int, float) else "Any"
        kind += " | None" if one.default is None and kind != "Any" else ""
    if one.kind is one.VAR_KEYWORD:
        return f"**{one.name}: Any"
    return f"{one.name}: {kind}" + ("" if one.default is one.empty else " = ...")


def arguments(signature, own=(), function=""):
    words, starred = list(own), False
    for one in signature.parameters.values():
        if one.name == "self":
            continue
        if one.kind is one.KEYWORD_ONLY and not starred:
            words.append("*")
            starred = True
        words.append(typed(one, function))
    return ", ".join(words)


def main():
    print(_HEAD)
    for name in sorted(reber.__all__):
        value = getattr(reber, name)
        if inspect.isfunction(value):
            print(f"def {name}({arguments(inspect.signature(value), function=name)}) -> {_GIVES[name]}: ...")
            continue
        bases = ", ".join(base.__name__ for base in value.__bases__
                          if base is not object and (base.__name__ in reber.__all__ or base.__module__ == "builtins"))
        print(f"class {name}({bases}):" if bases else f"class {name}:")
        members = _MEMBERS.get(name, {})
        if value is reber.Result:
            members = {row["name"]: _MAP for row in reber.products() if row["map"]} | members
        for member, gives in members.items():
            held = inspect.getattr_static(value, member, None)
            if inspect.isfunction(held):
                print(f"    def {member}({arguments(inspect.signature(held), ['self'])}) -> {gives}: ...")
            elif isinstance(held, property):
                print(f"    @property\n    def {member}(self) -> {gives}: ...")
            else:
                print(f"    {member}: {gives}")
        if not members:
            print("    ...")


if __name__ == "__main__":
    main()
