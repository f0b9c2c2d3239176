# SPDX-License-Identifier: BSD-3-Clause
"""Arrays where the pipeline reads files: maps and masks beside the image, and pixels that are to be ignored."""
import contextlib
import os
import re
import tempfile

import numpy as np

from . import _core
from ._devices import Lent
from ._images import in_host_memory, is_path
from ._units import factor, in_unit
from ._wrapped import Told, float32, opened


def without(pixels, mask):
    """The pixels, blank (NaN) where the mask is True. A file's pixels are not there yet: TypeError."""
    if mask is None:
        return pixels
    if pixels is None:
        raise TypeError("mask is for arrays; open the file (astropy.io.fits.getdata) and give array, header and mask")
    if isinstance(pixels, Lent):
        raise TypeError("mask is for arrays in host memory; set the pixels of an array on a card to NaN there")
    told = Told()
    mask = np.asarray(in_host_memory(opened(mask, told))).astype(bool)
    for hidden in told.masks:
        mask = mask | hidden
    while mask.ndim > 2 and mask.shape[0] == 1:
        mask = mask[0]
    if mask.shape != pixels.shape:
        raise ValueError(f"mask: an array of {pixels.shape} was expected, as the image is; it has {mask.shape}")
    return np.where(mask, np.float32(np.nan), pixels)


# Maps in the unit of the image that they are laid over: their keyword in the table of parameters.
_IN_THE_IMAGES_UNIT = ("background.mean_path", "background.rms_path")


@contextlib.contextmanager
def maps_as_files(settings, source, head):
    """The settings without units, with arrays in place of FITS files written to such, which last as long as the block.

    source: of the image; head: called where a file's header must be known: .shape and .unit. A mean
    of 'mesh' is the measured one.
    """
    rows = {word: row for row in _core.parameters() for word in row["keywords"]}
    shape = (lambda: tuple(head().shape)) if source.pixels is None else lambda: source.pixels.shape
    told = {}
    with contextlib.ExitStack() as kept:
        folder = None
        for name, value in settings.items():
            row = rows.get(name, {"unit": "", "name": "", "kind": ""})
            if is_path(value):
                value = os.fsdecode(value)
                if name in ("mean", "mean_map", "use_mean") and value == "mesh":
                    continue
            elif row["unit"] != "FITS":
                value = _plain(value, row, name)
            else:
                # The image's unit is asked for where a map tells of one.
                wanted = (lambda: source.unit_text(head)) if row["name"] in _IN_THE_IMAGES_UNIT else None
                value = map_of(name, value, shape, wanted)
                if np.ndim(value) == 0:
                    value = repr(value)
                else:
                    if folder is None:
                        folder = kept.enter_context(tempfile.TemporaryDirectory(prefix="reber-"))
                    path = os.path.join(folder, name + ".fits")
                    write_map(path, value, _ARRAY)
                    value = path
            told[name] = value
        yield told


def _plain(value, row, name):
    """The value of a keyword that is no map, without its unit."""
    if row["name"] == "convolve.kernel" and hasattr(value, "major") and hasattr(value, "pa"):  # a radio_beam.Beam
        parts = [in_unit(value.major, "arcsec", name), in_unit(value.minor, "arcsec", name), in_unit(value.pa, "deg", name)]
        return "beam:" + ",".join(repr(float(one)) for one in parts)
    return in_unit(value, row["unit"], name)


def map_of(name, value, shape, wanted):
    """float32, of the image's shape, or a float. wanted: called for the unit that the values are to be in; None: any."""
    told = Told()
    array = in_host_memory(opened(value, told))
    scale = 1.0
    if wanted and told.unit_or_header:
        scale = factor(told.unit_or_header, wanted(), name)
    kind = getattr(array, "dtype", np.asarray(array).dtype).kind
    if kind not in "fiub":
        raise TypeError(f"{name}: a FITS file, an array or a number was expected, not {type(value).__name__}")
    if np.ndim(array) == 0:
        return float(array) * scale
    pixels = float32(np.asarray(array, dtype=np.float32) if kind == "b" else array, told)
    if pixels.shape != shape():
        raise ValueError(f"{name}: an array of {shape()} was expected, as the image is; it has {pixels.shape}")
    return pixels if scale == 1 else (pixels * np.float64(scale)).astype(np.float32)


# Says that a file stands for an array, which has no place on the sky by its nature.
_ARRAY = "ORIGIN  = 'reber array'".ljust(80)

# Of the array as it was stored, which write_map() says anew.
_STORAGE = re.compile(r"(SIMPLE|XTENSION|BITPIX|NAXIS\d*|EXTEND|[PG]COUNT|GROUPS|BSCALE|BZERO|BLANK|CHECKSUM|DATASUM|END) *$")


def _sizes(shape, cards):
    """Of all axes, x first. As the cards state them where the array has as many pixels; else axes of one pixel are added to
    the array's until there are as many as in the cards."""
    stated = {int(card[5:8]): int(float(card[10:30].split("/")[0])) for card in cards if re.match(r"NAXIS\d+ *=", card)}
    stated = [size for axis, size in sorted(stated.items())]
    axes = [int(card[10:30].split("/")[0]) for card in cards if card[:9] == "NAXIS   ="]
    own = list(reversed(shape))
    if len(own) > 2 and stated[:2] == own[:2] and np.prod(stated, dtype=np.int64) == np.prod(own, dtype=np.int64):
        return stated
    return own + [1] * (max(axes, default=2) - len(own))


def _head(shape, cards):
    """A header's blocks: of these cards (80 characters each, in one text) what does not tell of storage."""
    kept = [cards[i : i + 80] for i in range(0, len(cards), 80)]
    sizes = _sizes(shape, kept)
    head = ["SIMPLE  =                    T", "BITPIX  =                  -32", f"NAXIS   = {len(sizes):20d}"]
    head += [f"NAXIS{axis:<3d}= {size:20d}" for axis, size in enumerate(sizes, 1)]
    head += [card for card in kept if not _STORAGE.match(card[:8])] + ["END"]
    text = "".join(card.ljust(80) for card in head)
    return (text + " " * (-len(text) % 2880)).encode("ascii")


def write_map(path, pixels, cards=""):
    """A FITS file with these pixels, [y, x] or [plane, y, x], and of the cards (80 characters each, in one text) what does not
    tell of storage. It has as many axes as the cards have, those beyond the pixels' of one pixel."""
    with open(path, "wb") as file:
        file.write(_head(pixels.shape, cards))
        for plane in pixels if pixels.ndim > 2 else [pixels]:
            file.write(np.ascontiguousarray(plane, dtype=">f4").data)
        file.write(bytes(-4 * pixels.size % 2880))


def write_grid(path, shape, cards):
    """A FITS file of zeros, which take no room on the disk, for what asks for a header alone."""
    head = _head(shape, cards)
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(len(head) + -(-4 * int(np.prod(shape, dtype=np.int64)) // 2880) * 2880)


_TYPES = {8: "u1", 16: ">i2", 32: ">i4", 64: ">i8", -32: ">f4", -64: ">f8"}


def stored_pixels(path):
    """The pixels of a plain FITS file in the machine's byte order; axes of one pixel are left out, but for y and x."""
    cards, begin = header_of(path)
    number = lambda key: int(next(card[10:30].split("/")[0] for card in cards if card[:8].rstrip() == key))
    shape = [number(f"NAXIS{axis}") for axis in range(number("NAXIS"), 0, -1)]
    kind = np.dtype(_TYPES[number("BITPIX")])
    pixels = np.fromfile(path, kind, int(np.prod(shape, dtype=np.int64)), offset=begin)
    if not kind.isnative:
        pixels = pixels.byteswap(inplace=True).view(kind.newbyteorder("="))
    return pixels.reshape([size for size in shape[:-2] if size > 1] + shape[-2:])


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
