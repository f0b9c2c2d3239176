# SPDX-License-Identifier: BSD-3-Clause
"""xarray's DataArray as an image: axes by their names, keywords of FITS among its attributes, coordinates on the sky."""
import warnings

import numpy as np

from ._headers import value_of, with_value
from .errors import InputError

_X = ("x", "ra", "right_ascension", "rasc", "lon", "longitude", "glon", "l", "col", "column", "nx")
_Y = ("y", "dec", "declination", "decl", "lat", "latitude", "glat", "b", "m", "row", "ny")
# Coordinates that are longitudes and latitudes of a frame.
_FRAMES = ({"x": ("ra", "right_ascension", "rasc"), "y": ("dec", "declination", "decl"), "types": ("RA---CAR", "DEC--CAR")},
           {"x": ("glon",), "y": ("glat",), "types": ("GLON-CAR", "GLAT-CAR")})
_DEGREES = {"": 1.0, "deg": 1.0, "degree": 1.0, "degrees": 1.0, "degrees_east": 1.0, "degrees_north": 1.0,
            "rad": 180 / np.pi, "radian": 180 / np.pi, "radians": 180 / np.pi, "arcmin": 1 / 60, "arcsec": 1 / 3600}


def _axes_of(image):
    """Names of the dimensions along y and x."""
    dims = list(image.dims)
    found = [[one for one in dims if str(one).lower() in words] for words in (_Y, _X)]
    if len(found[0]) == 1 and len(found[1]) == 1:
        return found[0][0], found[1][0]
    if found[0] or found[1]:
        raise InputError(f"dimensions {', '.join(map(str, dims))}: it is not clear which of them are y and x; name them so")
    if len(dims) < 2:
        raise ValueError(f"an array of {len(dims)} axes was given; an image has two, [y, x]")
    return dims[-2], dims[-1]


def _numbers(image, dim):
    """The coordinate along a dimension as floats; None where there is none that is numbers."""
    if dim not in image.coords:
        return None
    coordinate = image.coords[dim]
    values = np.asarray(coordinate.values)
    return values.astype(float) if values.ndim == 1 and values.dtype.kind in "fiu" and values.size > 1 else None


def _step(values):
    """From one value to the next, where they are evenly spaced; else None."""
    step = (values[-1] - values[0]) / (values.size - 1)
    even = np.abs(values - (values[0] + step * np.arange(values.size))).max() <= 1e-3 * abs(step)
    return float(step) if step != 0 and even else None


def _sky_cards(image, y, x):
    """A plate carree of evenly spaced longitudes and latitudes; empty where the coordinates are something else."""
    for frame in _FRAMES:
        if str(x).lower() not in frame["x"] or str(y).lower() not in frame["y"]:
            continue
        cards = {}
        for axis, dim in ((1, x), (2, y)):
            values = _numbers(image, dim)
            if values is None:
                return {}
            unit = str(image.coords[dim].attrs.get("units", image.coords[dim].attrs.get("unit", ""))).lower()
            if unit not in _DEGREES:
                raise InputError(f"coordinate {dim}: unit '{unit}' is no angle that is known here; use degrees")
            values = values * _DEGREES[unit]
            if axis == 1:
                values = np.degrees(np.unwrap(np.radians(values)))
            step = _step(values)
            if step is None:
                warnings.warn(f"coordinate {dim} is not evenly spaced: positions are in pixels only", stacklevel=6)
                return {}
            # A plate carree has its reference on the equator.
            at = float(values[0]) if axis == 1 else 0.0
            cards.update({f"CTYPE{axis}": frame["types"][axis - 1], f"CRVAL{axis}": at, f"CDELT{axis}": step,
                          f"CUNIT{axis}": "deg", f"CRPIX{axis}": 1.0 if axis == 1 else 1.0 - float(values[0]) / step})
        return cards
    return {}


def _moved(cards, image, y, x):
    """The cards of the whole image, for the cut of it that coordinates in pixels tell of."""
    for axis, dim in ((1, x), (2, y)):
        values, place, size = _numbers(image, dim), value_of(cards, f"CRPIX{axis}"), value_of(cards, f"NAXIS{axis}")
        count = image.sizes[dim]
        if values is None or place is None or size == count or np.any(values != np.rint(values)):
            continue
        if values.size > 1 and _step(values) != 1:
            raise InputError(f"dimension {dim}: every {abs(_step(values) or 0):g}th pixel of an image with a header was given: give "
                             "the array's own, header= or wcs=")
        first = int(values[0])
        if first == 0 or (size is None and first == 1):
            continue
        cards = with_value(cards, f"CRPIX{axis}", place - first)
        if size is not None:
            cards = with_value(cards, f"NAXIS{axis}", count)
    return cards


def opened(image, told):
    """The array inside, [..., y, x]; what attributes and coordinates say is told."""
    y, x = _axes_of(image)
    given = told.given or bool(told.cards)
    told.add_meta(image.attrs)
    if not given and not told.wcs:
        told.cards = _moved(told.cards, image, y, x)
        if not any(told.cards[at : at + 6] == "CTYPE1" for at in range(0, len(told.cards), 80)):
            told.add(wcs=_sky_cards(image, y, x) or None)
    return image.transpose(..., y, x).data
