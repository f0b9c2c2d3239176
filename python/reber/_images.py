# SPDX-License-Identifier: BSD-3-Clause
"""Images from Python: paths, arrays with headers, and what stands in for both."""
import os
import warnings
from typing import NamedTuple

import numpy as np

from ._devices import lend, on_a_card, on_host
from ._headers import joined, value_of, with_value
from ._units import in_unit
from ._wrapped import Told, float32, opened
from .errors import InputError


class Source(NamedTuple):
    """An image: a path, or pixels with the cards of their header. The beam is in degrees; None: the header's."""

    path: str
    pixels: object
    cards: str
    unit: object
    beam: object
    plane: object

    def unit_text(self, head):
        """The unit of the pixels. head: called for a file."""
        if self.unit is not None:
            return self.unit
        return head().unit if self.pixels is None else str(value_of(self.cards, "BUNIT") or "")


def is_path(image):
    return isinstance(image, (str, bytes, os.PathLike))


def in_host_memory(array):
    """The array. TypeError for one on a card."""
    if on_a_card(array):
        raise TypeError("an array on a card was given where one in host memory was expected: cupy.asnumpy(image), "
                        "tensor.cpu() or jax.device_get(image) makes one")
    return array


def pixels_of(image, told=None):
    """float32, [y, x], C order: a view where the array is so already. Masked pixels are blank (NaN)."""
    told = Told() if told is None else told
    return float32(in_host_memory(opened(image, told)), told)


def _hold_sizes(cards, shape, position):
    """A header of another size is that of the image before it was cut or binned: positions would be wrong. One of a cube
    does not say which of its planes the array is."""
    planes = value_of(cards, "NAXIS3")
    if planes is not None and planes > 1 and not position and str(value_of(cards, "CTYPE3") or "STOKES") != "STOKES":
        warnings.warn(f"the header is of a cube of {planes:g} planes, the array is one: it is taken for the first, at its frequency; "
                      "give the cube, and plane=", stacklevel=6)
    sizes = [value_of(cards, f"NAXIS{axis}") for axis in (1, 2)]
    if None in sizes or sizes == [shape[1], shape[0]]:
        return
    warnings.warn(f"the header is of an image of {sizes[0]:g} x {sizes[1]:g} pixels, the array has {shape[1]} x {shape[0]}: positions "
                  "are right only if both begin at the same pixel; wcs= is in place of the header's", stacklevel=6)


def source_of(image, header=None, wcs=None, unit=None, backend=None, beam=None, hdu=None, plane=None):
    """The Source of a path, an array or what wraps one. backend: of a call that reads arrays on cards where they lie;
    pixels are then Lent, unless a backend of the host is to compute."""
    if isinstance(image, Source):
        return image
    told = Told(header, wcs, unit, beam, plane)
    if is_path(image):
        if header is not None or wcs is not None:
            raise TypeError("header and wcs are for arrays; a file has its own")
        return Source(os.fsdecode(image), None, "", told.unit, beam_of(beam), plane)
    if hdu is not None:
        if not hasattr(image, "index_of"):
            raise TypeError("hdu is for files and lists of HDUs")
        image = image[hdu]
    image = opened(image, told)
    if on_a_card(image):
        if told.plane is not None:
            raise TypeError("plane is for files and for arrays in host memory")
        if backend is None:
            in_host_memory(image)
        pixels = lend(image) if backend in ("auto", "cuda") else pixels_of(on_host(image))
    else:
        pixels = float32(image, told)
    if not told.wcs:
        _hold_sizes(told.cards, pixels.shape, told.position)
    cards = joined(told.cards, told.wcs)
    # The plane that was chosen is the first of what is left.
    for axis, place in enumerate(reversed(told.position), 3):
        if place and value_of(cards, f"CTYPE{axis}") is not None:
            cards = with_value(cards, f"CRPIX{axis}", (value_of(cards, f"CRPIX{axis}") or 0.0) - float(place))
    return Source("array", pixels, cards, told.unit, beam_of(told.beam), None)


def beam_of(beam):
    """(major, minor, position angle) in degrees, from arcsec and degrees, Quantities, or a radio_beam.Beam."""
    if beam is None:
        return None
    if hasattr(beam, "major") and hasattr(beam, "pa"):
        beam = (beam.major, beam.minor, beam.pa)
    parts = list(beam) if isinstance(beam, (list, tuple)) or np.ndim(beam) else [beam]
    if len(parts) == 1:
        parts = [parts[0], parts[0], 0.0]
    if len(parts) != 3 or any(np.ndim(one) for one in parts):
        raise InputError("beam: (major, minor, position angle) was expected, in arcsec and degrees")
    major, minor = (float(in_unit(one, "arcsec", "beam")) / 3600 for one in parts[:2])
    return major, minor, float(in_unit(parts[2], "deg", "beam"))
