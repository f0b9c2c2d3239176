# SPDX-License-Identifier: BSD-3-Clause
"""The image that PyBDSF's keywords ask for: one plane of the channels of a cube, at a given frequency, blanked at a level."""
import os

import numpy as np

from ._file_studies import collapse
from ._headers import value_of, with_value
from ._images import beam_of
from ._run import _run
from .errors import InputError

_WEIGHTS = {"unity": "mean", "rms": "weighted"}


class Opened:
    """The image: .image, .cards and .beam to be searched where they are not the file's own (else None), .head, the run that
    opened the file, .channels, the planes of Stokes I in the file, .beams, those of the channels."""

    def __init__(self, path, asked, with_):
        self.head = _run(path, [], {}, plane=0, **with_)
        if not value_of("".join(self.head.cards), "BUNIT"):
            with_["unit"] = "Jy/beam"  # as PyBDSF takes it
            self.head = _run(path, [], {}, plane=0, **with_)
        self.image, self.beam, self.cards = None, beam_of(with_.get("beam")), "".join(self.head.cards)
        self.channels = _channels(self.cards, self.head._run.planes)
        self.beams = [self.beam] * len(self.channels)
        if len(self.channels) > 1:
            if self.beam is None:
                self.beams = [_beam(self.cards, number, path, plane, with_) for number, plane in enumerate(self.channels)]
            self._collapse(path, asked, with_)
        if asked["frequency"] is not None or asked["blank_limit"] is not None:
            if self.image is None:
                self.image = _run(path, ["background"], {"background": "clip"}, **with_).image
                self.cards = "".join(card for card in self.head.cards if not card.startswith("NAXIS"))
            if asked["frequency"] is not None:
                self.cards = _at(self.cards, float(asked["frequency"]))
            if asked["blank_limit"] is not None:
                self.image = blanked(self.image, float(asked["blank_limit"]))

    def _collapse(self, path, asked, with_):
        mode, weights = asked["collapse_mode"], asked["collapse_wt"]
        if mode not in ("average", "single"):
            raise InputError(f"collapse_mode={mode!r} cannot be honoured: 'average' or 'single' was expected")
        if weights not in _WEIGHTS:
            raise InputError(f"collapse_wt={weights!r} cannot be honoured: 'unity' or 'rms' was expected")
        chosen = [int(asked["collapse_ch0"])] if mode == "single" else [int(one) for one in asked["collapse_av"] or []]
        chosen = chosen or range(len(self.channels))
        if not all(0 <= one < len(self.channels) for one in chosen):
            raise InputError(f"channels {list(chosen)}: the image has {len(self.channels)}, from 0")
        made = collapse(path, how=_WEIGHTS[weights], planes=[self.channels[one] for one in chosen],
                        **{name: value for name, value in with_.items() if name in ("threads", "unit", "beam")})
        self.image, self.cards = made.image, made.cards
        self.beam = mean_beam([self.beams[one] for one in chosen])


def _beam(cards, number, path, plane, with_):
    """Of a channel, degrees: by the cards BMAJ1, BMIN1, BPA1 and so on, else as the file has it."""
    told = [value_of(cards, f"{name}{number + 1}") for name in ("BMAJ", "BMIN", "BPA")]
    if all(isinstance(one, float) for one in told):
        return tuple(told)
    return _run(path, [], {}, plane=plane, **with_).beam


def mean_beam(beams):
    """The beam whose FWHM^2 along each direction is the mean of theirs; None where one is not known."""
    if any(beam is None for beam in beams):
        return None
    return ellipse_of(*(sum(parts) / len(beams) for parts in zip(*(covariance_of(*beam) for beam in beams))))


def covariance_of(major, minor, angle):
    """FWHM^2 north, north-east and east."""
    sine, cosine = np.sin(np.radians(angle)), np.cos(np.radians(angle))
    return (major**2 * cosine**2 + minor**2 * sine**2, (major**2 - minor**2) * sine * cosine,
            major**2 * sine**2 + minor**2 * cosine**2)


def ellipse_of(north, mixed, east):
    """(major, minor, position angle) of the same."""
    half, spread = (north + east) / 2, np.hypot((north - east) / 2, mixed)
    return np.sqrt(half + spread), np.sqrt(half - spread), np.degrees(np.arctan2(2 * mixed, north - east) / 2) % 180


def _channels(cards, planes):
    """Numbers of the planes that are of Stokes I, in the order of the file; all, where there is no such axis."""
    axes = int(value_of(cards, "NAXIS") or 2)
    numbers = np.arange(planes)
    stride = 1
    for axis in range(3, axes + 1):
        size = int(value_of(cards, f"NAXIS{axis}") or 1)
        if (value_of(cards, f"CTYPE{axis}") or "") == "STOKES" and size > 1:
            first = 1 if value_of(cards, f"CRVAL{axis}") is None else value_of(cards, f"CRVAL{axis}")
            at = (value_of(cards, f"CRPIX{axis}") or 1) - 1 + (1 - first) / (value_of(cards, f"CDELT{axis}") or 1)
            if not 0 <= round(at) < size:
                raise InputError("the image has no plane of Stokes I")
            numbers = numbers[numbers // stride % size == round(at)]
        stride *= size
    return numbers.tolist()


def _at(cards, hz):
    """The cards with this frequency: of the spectral axis' first pixel where there is one, and as RESTFRQ."""
    if not hz > 0:
        raise InputError(f"frequency={hz!r}: a number of Hz above 0 was expected")
    for axis in range(3, 10):
        if (value_of(cards, f"CTYPE{axis}") or "").startswith("FREQ"):
            return with_value(with_value(with_value(cards, f"CRVAL{axis}", hz), f"CRPIX{axis}", 1.0), f"CUNIT{axis}", "Hz")
    return with_value(cards, "RESTFRQ", hz)


def blanked(image, limit):
    """Blank (NaN) where, of the pixel and its eight neighbours, five or more are closer to 0 than the limit."""
    low = np.pad((np.abs(image) < limit).astype(np.uint8), 1)
    rows = low[:-2] + low[1:-1] + low[2:]
    count = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]
    return np.where(count >= 5, np.float32(np.nan), image)


def parent_of(filename):
    """The file's name without folder and the usual endings."""
    name = os.path.basename(filename)
    for ending in (".gz", ".GZ", ".fits", ".FITS", ".image"):
        name = name.removesuffix(ending)
    return name


def pixel_area(cards):
    """Square degrees of a pixel at the reference, from CDELT or the CD matrix; 0 where the header says neither."""
    def number(key):
        value = value_of(cards, key)
        return value if isinstance(value, float) else 0.0

    if value_of(cards, "CD1_1") is not None:
        return abs(number("CD1_1") * number("CD2_2") - number("CD1_2") * number("CD2_1"))
    return abs(number("CDELT1") * number("CDELT2"))


def frequency_of(cards):
    """Hz: of the spectral axis, else RESTFRQ; None where the header says neither."""
    for axis in range(3, 10):
        if str(value_of(cards, f"CTYPE{axis}") or "").startswith("FREQ"):
            return value_of(cards, f"CRVAL{axis}")
    rest = value_of(cards, "RESTFRQ")
    return value_of(cards, "RESTFREQ") if rest is None else rest
