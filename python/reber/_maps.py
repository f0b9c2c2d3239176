# SPDX-License-Identifier: BSD-3-Clause
"""Arrays where the pipeline reads files: maps and masks beside the image, and pixels that are to be ignored."""
import contextlib
import os
import re
import tempfile

import numpy as np

from . import _core
from ._devices import Lent
from ._images import in_host_memory, pixels_of


def without(pixels, mask):
    """The pixels, blank (NaN) where the mask is True. A file's pixels are not there yet: TypeError."""
    if mask is None:
        return pixels
    if pixels is None:
        raise TypeError("mask is for arrays; open the file (astropy.io.fits.getdata) and give array, header and mask")
    if isinstance(pixels, Lent):
        raise TypeError("mask is for arrays in host memory; set the pixels of an array on a card to NaN there")
    mask = np.asarray(mask)
    while mask.ndim > 2 and mask.shape[0] == 1:
        mask = mask[0]
    if mask.shape != pixels.shape:
        raise ValueError(f"mask: an array of {pixels.shape} was expected, as the image is; it has {mask.shape}")
    return np.where(mask.astype(bool), np.float32(np.nan), pixels)


def _keywords_of_files():
    return {word: row["name"] for row in _core.parameters() if row["unit"] == "FITS" for word in row["keywords"]}


@contextlib.contextmanager
def maps_as_files(settings, shape):
    """The settings, with arrays in place of FITS files written to such, which last as long as the block.

    shape: called where it must be known; (ny, nx) of the image. A number for the noise is a map of one value; a mean
    of 'mesh' is the measured one.
    """
    settings = {name: os.fspath(value) if isinstance(value, os.PathLike) else value for name, value in settings.items()}
    files = _keywords_of_files() if any(not isinstance(value, str) for value in settings.values()) else {}
    with contextlib.ExitStack() as kept:
        folder = None
        for name, value in list(settings.items()):
            if name in ("mean", "mean_map", "use_mean") and isinstance(value, str) and value == "mesh":
                del settings[name]
            if name not in files or isinstance(value, str):
                continue
            value = in_host_memory(getattr(value, "value", value))  # of a Quantity
            if np.ndim(value) == 0 and "mean" in name:
                settings[name] = repr(float(value))
                continue
            if folder is None:
                folder = kept.enter_context(tempfile.TemporaryDirectory(prefix="reber-"))
            settings[name] = os.path.join(folder, name + ".fits")
            write_map(settings[name], _map_of(name, value, tuple(shape())), _ARRAY)
        yield settings


def _map_of(name, value, shape):
    """float32, of the image's shape."""
    if np.ndim(value) == 0:
        return np.broadcast_to(np.float32(value), shape)
    pixels = pixels_of(np.asarray(value, dtype=np.float32) if getattr(value, "dtype", None) == bool else value)
    if pixels.shape != shape:
        raise ValueError(f"{name}: an array of {shape} was expected, as the image is; it has {pixels.shape}")
    return pixels


# Says that a file stands for an array, which has no place on the sky by its nature.
_ARRAY = "ORIGIN  = 'reber array'".ljust(80)

# Of the array as it was stored, which write_map() says anew.
_STORAGE = re.compile(r"(SIMPLE|XTENSION|BITPIX|NAXIS\d*|EXTEND|[PG]COUNT|GROUPS|BSCALE|BZERO|BLANK|CHECKSUM|DATASUM|END) *$")


def write_map(path, pixels, cards=""):
    """A FITS file with these pixels, and of the cards (80 characters each, in one text) what does not tell of storage.
    It has as many axes as the cards have, all but two of one pixel."""
    kept = [cards[i : i + 80] for i in range(0, len(cards), 80)]
    axes = [int(card[10:30].split("/")[0]) for card in kept if card[:9] == "NAXIS   ="]
    sizes = [pixels.shape[1], pixels.shape[0]] + [1] * (max(axes, default=2) - 2)
    head = ["SIMPLE  =                    T", "BITPIX  =                  -32", f"NAXIS   = {len(sizes):20d}"]
    head += [f"NAXIS{axis:<3d}= {size:20d}" for axis, size in enumerate(sizes, 1)]
    head += [card for card in kept if not _STORAGE.match(card[:8])] + ["END"]
    text = "".join(card.ljust(80) for card in head)
    with open(path, "wb") as file:
        file.write((text + " " * (-len(text) % 2880)).encode("ascii"))
        file.write(np.ascontiguousarray(pixels, dtype=">f4").data)
        file.write(bytes(-4 * pixels.size % 2880))


def header_of(path):
    """(cards without END, offset of the pixels) of a FITS file."""
    cards = []
    with open(path, "rb") as file:
        while True:
            card = file.read(80).decode("ascii")
            if card.startswith("END ") or len(card) < 80:
                return cards, -(-file.tell() // 2880) * 2880
            cards.append(card)


def _any_of(mask, before, after):
    """True where any of mask[i - before] to mask[i + after] is, along both axes; beyond the edge there is nothing."""
    for axis in (0, 1):
        sums = np.cumsum(mask, axis=axis, dtype=np.int64)
        sums = np.concatenate([np.zeros_like(np.take(sums, [0], axis)), sums], axis)
        places = np.arange(mask.shape[axis])
        high = np.minimum(places + after + 1, mask.shape[axis])
        mask = np.take(sums, high, axis) > np.take(sums, np.maximum(places - before, 0), axis)
    return mask


def closed(mask, side):
    """The closing of a mask by a square of side x side pixels, as scipy.ndimage.binary_closing has it: grown by the
    square, then shrunk by it, where all beyond the edge counts as unset."""
    if side < 2:
        return mask
    before, after = side // 2, side - 1 - side // 2
    grown = _any_of(mask, after, before)
    unset = np.pad(~grown, side, constant_values=True)
    return ~_any_of(unset, before, after)[side:-side, side:-side]
