# SPDX-License-Identifier: BSD-3-Clause
"""Images from Python: paths, arrays with headers, and what stands in for both."""
import os
import warnings

import numpy as np

from ._devices import from_dlpack, lend, on_a_card, on_host


def _cards(header):
    """The header's two celestial axes, and what else it says, as 80-character cards in one text, END left out."""
    if header is None:
        return ""
    if isinstance(header, str):
        return header
    if hasattr(header, "to_header"):  # a WCS
        header = header.to_header()
    text = header.tostring(sep="", endcard=False, padding=False)
    return text[: len(text) // 80 * 80]


def in_host_memory(image):
    """The array, which NumPy can read. TypeError for one on a card."""
    if on_a_card(image):
        raise TypeError("an array on a card was given where one in host memory was expected: cupy.asnumpy(image), "
                        "tensor.cpu() or jax.device_get(image) makes one")
    return from_dlpack(image)


def pixels_of(image):
    """float32, [y, x], C order: a view where the array is so already. Masked and infinite pixels are blank (NaN)."""
    image = in_host_memory(image)
    mask = getattr(image, "mask", None)
    array = np.asarray(getattr(image, "data", image) if isinstance(image, np.ma.MaskedArray) else image)
    while array.ndim > 2 and array.shape[0] == 1:
        array = array[0]
    if array.ndim != 2:
        raise ValueError(f"an array of {array.ndim} axes was given; an image has two, [y, x]: choose a plane of a cube")
    if array.dtype.kind not in "fiu":
        raise TypeError(f"pixels of type {array.dtype} were given; numbers were expected")
    if array.dtype.itemsize > 4 or (array.dtype.kind in "iu" and array.dtype.itemsize == 4):
        warnings.warn(f"pixels of type {array.dtype} are computed in floats of 32 bits: 7 digits", stacklevel=4)
    array = np.ascontiguousarray(array, dtype=np.float32)
    if mask is not None and np.any(mask):
        array = np.where(np.reshape(mask, array.shape), np.float32(np.nan), array)
    return array


def source_of(image, header, wcs, unit, backend=None):
    """(path, pixels, cards, unit): of a path, an array, an astropy NDData or HDU. backend: of a call that reads arrays on
    cards where they lie; pixels are then Lent, unless a backend of the host is to compute."""
    if isinstance(image, (str, os.PathLike)):
        if header is not None or wcs is not None:
            raise TypeError("header and wcs are for arrays; a file has its own")
        return os.fspath(image), None, "", unit
    if hasattr(image, "header") and hasattr(image, "data"):  # an HDU
        header = image.header if header is None else header
        image = image.data
    elif hasattr(image, "wcs") and hasattr(image, "data") and hasattr(image, "unit"):  # NDData, CCDData
        wcs = image.wcs if wcs is None else wcs
        unit = str(image.unit) if unit is None and image.unit is not None else unit
        mask = image.mask
        image = np.ma.MaskedArray(image.data, mask) if mask is not None else image.data
    if hasattr(image, "unit") and hasattr(image, "value"):  # a Quantity
        unit = str(image.unit) if unit is None else unit
        image = image.value
    if backend is not None and on_a_card(image):
        pixels = lend(image) if backend in ("auto", "cuda") else pixels_of(on_host(image))
    else:
        pixels = pixels_of(image)
    cards = _cards(header)
    if wcs is not None:
        # The WCS counts, and of the header what it does not say.
        own = _cards(wcs.celestial if hasattr(wcs, "celestial") else wcs)
        names = {own[i : i + 8] for i in range(0, len(own), 80)}
        kept = [cards[i : i + 80] for i in range(0, len(cards), 80) if cards[i : i + 8] not in names]
        cards = "".join(kept) + own
    return "array", pixels, cards, unit.replace(" ", "") if unit else unit


def beam_of(beam):
    """(major, minor, position angle) in degrees, from arcsec and degrees, Quantities, or a radio_beam.Beam."""
    if beam is None:
        return None
    if hasattr(beam, "major") and hasattr(beam, "pa"):
        return tuple(float(part.to_value("deg")) for part in (beam.major, beam.minor, beam.pa))
    parts = list(beam) if np.ndim(beam) else [beam]
    if len(parts) == 1:
        parts = [parts[0], parts[0], 0.0]
    if len(parts) != 3:
        raise ValueError("beam: (major, minor, position angle) was expected, in arcsec and degrees")
    sizes = [p.to_value("deg") if hasattr(p, "to_value") else float(p) / 3600 for p in parts[:2]]
    angle = parts[2].to_value("deg") if hasattr(parts[2], "to_value") else float(parts[2])
    return float(sizes[0]), float(sizes[1]), float(angle)
