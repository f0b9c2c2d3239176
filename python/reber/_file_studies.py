# SPDX-License-Identifier: BSD-3-Clause
"""Studies of files: images to one beam, completeness, a backend against the reference, one image of a cube."""
import contextlib
import json
import os
import tempfile

import numpy as np

from . import _core
from ._images import beam_of, is_path, source_of
from ._keywords import told
from ._maps import maps_as_files, without, write_map
from ._progress import teller
from ._run import _run, _split, with_of
from ._studies import Table
from ._units import in_unit
from .errors import InputError


@contextlib.contextmanager
def _as_file(source, mask=None):
    """The image's path; an array lies in a temporary file as long as the block lasts."""
    pixels = without(source.pixels, mask)
    if pixels is None:
        yield source.path
        return
    with tempfile.TemporaryDirectory(prefix="reber-") as folder:
        path = os.path.join(folder, "array.fits")
        write_map(path, pixels, source.cards)
        yield path


def _image_call(image, own, settings, work):
    """work(path, settings, with_, beam, progress) on the image, arrays beside it in files."""
    own = dict(own)
    mask, hdu, progress = own.pop("mask", None), own.pop("hdu", None), teller(own.pop("progress", None))
    source = source_of(image, **{name: own.pop(name, None) for name in ("header", "wcs", "unit", "beam", "plane")}, hdu=hdu)
    with _as_file(source, mask) as path:
        with_ = with_of(unit=source.unit, plane=source.plane, hdu=hdu if source.pixels is None else None, **own)
        settings = {name: value for name, value in settings.items() if value is not None}

        def head():
            return _core.run(path, None, "", [], {}, with_, None, None)

        with maps_as_files(settings, source, head) as settings:
            return work(path, settings, with_, source.beam, progress)


class Completeness:
    """.bins is a Table with one row per bin of S/N, .summary what `reber complete --json` writes; .snr_50 and .snr_90
    are the S/N at which a half and nine tenths are found (NaN where that is not reached)."""

    def __init__(self, bins, summary):
        self.bins, self.summary = Table(bins), json.loads(summary)
        self.snr_50, self.snr_90 = (float("nan") if self.summary[name] is None else self.summary[name]
                                    for name in ("snr_50", "snr_90"))


@told(_run, "background", "detect", "measure", "fit")
def complete(image, *, number=100, bins=12, snr=(2.5, 100), flux=None, size=0, into="image", separation=8, seed=1,
             plot="", overwrite=False, **options):
    """Puts known sources into an image and finds them again: completeness, reliability, errors of flux and position.

    number: sources in each of the bins, which are equal in log S/N between the two of snr (injected peak over local
    rms). flux: (low, high) in uJy/beam to draw peaks between. size: FWHM before the beam, arcsec. into: 'image', or
    'residual', the image less its sources. separation: in FWHMs. plot: a file to draw it in. Else as find().
    """
    own, settings = _split(options)
    asked = {"number": number, "bins": bins, "snr": tuple(snr), "size": in_unit(size, "arcsec", "size"), "into": into,
             "separation": separation, "seed": seed}
    if flux is not None:
        asked["flux"] = tuple(in_unit(one, "uJy/beam", "flux") for one in flux)

    def work(path, settings, with_, beam, progress):
        return _core.complete(path, settings, with_, beam, asked, os.fsdecode(plot), overwrite, progress)

    return Completeness(*_image_call(image, own, settings, work))


class Verification:
    """.passed, .checks (a Table: stage, metric, worst, bound, where, passed), .backend, .device. True where it passed."""

    def __init__(self, backend, device, checks):
        self.backend, self.device, self.checks = backend, device, Table(checks)
        self.passed = bool(np.all(self.checks["passed"]))

    def __bool__(self):
        return self.passed


@told(_run, "convolve", "background", "detect")
def verify(image, *, kernel=None, **options):
    """Compares a backend with the double-precision reference, stage by stage, each against a stated bound.

    The reference is slow: images up to some 2048 x 2048 are practical. Arguments as of find().
    """
    own, settings = _split(options)
    stages = ["background", "detect"]
    if kernel is not None:
        stages.append("convolve")
        settings["kernel"] = kernel

    def work(path, settings, with_, beam, progress):
        return _core.verify(path, stages, settings, with_, beam, progress)

    return Verification(*_image_call(image, own, settings, work))


class Smoothed:
    """.planes is a Table with one row per plane of all files (beam, target, kernel, factors of flux and noise), .outputs
    the files written, .beam (major, minor, position angle) in degrees where all planes share it, .warnings."""

    def __init__(self, planes, outputs, warnings):
        self.planes, self.outputs, self.warnings = Table(planes), outputs, warnings
        targets = {tuple(row) for row in self.planes.rows[["Target_Maj", "Target_Min", "Target_PA"]].tolist()
                   if row[0] == row[0]}
        self.beam = None
        if len(targets) == 1:
            major, minor, angle = targets.pop()
            self.beam = (major / 3600, minor / 3600, angle)


def _stem(path):
    name = os.path.basename(path)
    for ending in (".gz", ".fz", ".fits", ".fit", ".fts"):
        if name.endswith(ending) and len(name) > len(ending):
            name = name[: -len(ending)]
    return name


def _smooth_common(*, unit=None, hdu=None, plane=None, check=False, backend="auto", device=0, threads=0,
                   device_memory=0, progress=None):
    """What smooth() takes of all calls on an image."""


_NOT_SMOOTHINGS = ("kernel", "normalise")


@told(_smooth_common, "convolve", without=_NOT_SMOOTHINGS)
def smooth(files, folder=None, *, to_beam=None, per_plane=False, max_beam=None, image_beam=None, dry_run=False,
           overwrite=False, **options):
    """Smooths FITS images and cubes to the smallest beam that all can reach, or to to_beam: NAME_smoothed.fits in
    `folder`, else beside each file.

    to_beam, image_beam (in place of the headers'): (major, minor, position angle) in arcsec and degrees, or a
    radio_beam.Beam. per_plane: a common beam for each plane number. max_beam: arcsec; planes with a longer one stay
    blank. dry_run: the plan alone. An array is smoothed by convolve(image, 'beam:MAJ,MIN,PA').
    """
    own, settings = _split(options)
    files = [files] if is_path(files) else list(files)
    if not all(is_path(one) for one in files):
        raise TypeError("smooth() takes FITS files; an array is smoothed by convolve(image, 'beam:MAJ,MIN,PA')")
    for name in ("header", "wcs", "beam", "mask", *_NOT_SMOOTHINGS):
        if name in own or name in settings:
            raise TypeError(f"'{name}' has no meaning here: the kernel follows from the beams; image_beam= is in place of the headers'")
    if to_beam is not None and (per_plane or max_beam is not None):
        raise TypeError("per_plane and max_beam belong to the common beam: they do not go with to_beam")
    files = [os.fsdecode(one) for one in files]
    stems = [_stem(one) for one in files]
    for stem in stems:
        if stems.count(stem) > 1:
            raise ValueError(f"several files would be written as {stem}_smoothed.fits: smooth them into different folders")
    outputs = [os.path.join(os.path.dirname(path) if folder is None else os.fsdecode(folder), stem + "_smoothed.fits")
               for path, stem in zip(files, stems)]
    if folder is not None and not dry_run:
        os.makedirs(folder, exist_ok=True)
    if not dry_run and not overwrite:
        for path in outputs:
            if os.path.exists(path):
                raise InputError(f"{path} exists; overwrite=True replaces it")
    with_ = with_of(**{name: value for name, value in own.items() if name != "progress"})
    rows = {word: row for row in _core.parameters() for word in row["keywords"]}
    settings = {name: in_unit(value, rows.get(name, {}).get("unit"), name) for name, value in settings.items() if value is not None}
    planes, warnings = _core.smooth(files, outputs, settings, with_, beam_of(to_beam), per_plane,
                                    None if max_beam is None else float(in_unit(max_beam, "arcsec", "max_beam")) / 3600, beam_of(image_beam), dry_run,
                                    overwrite, teller(own.get("progress")))
    return Smoothed(planes, [] if dry_run else outputs, warnings)


class Collapsed:
    """.image is float32 [y, x], .header an astropy Header (.cards the same as text), .planes those that took part,
    .history what was done, .warnings."""

    def __init__(self, image, cards, planes, history, warnings):
        self.image, self.cards, self.planes, self.history, self.warnings = image, cards, planes, history, warnings

    @property
    def header(self):
        from astropy.io.fits import Header

        return Header.fromstring(self.cards)


@told(_smooth_common, parameters=False)
def collapse(cube, *, how="mean", planes="all", snr=0, beam=None, output="", overwrite=False, **options):
    """One image of a FITS cube: how = mean, weighted (by 1/rms^2 of each plane), max, moment0, moment1 or moment2.

    planes: as '0:7,12', or a list of numbers from 0. snr: pixels not above this many times their plane's rms do not
    take part. output: a FITS file to write. Moments are over velocity in km/s, over Hz without RESTFRQ. An array
    [plane, y, x] is collapsed by NumPy.
    """
    own, settings = _split(options)
    if not is_path(cube):
        raise TypeError("collapse() takes a FITS cube; an array is collapsed by NumPy: np.nanmean(cube, axis=0)")
    for name in [*settings, *(name for name in own if name in ("header", "wcs", "mask"))]:
        raise TypeError(f"unknown keyword '{name}' of collapse()")
    if not isinstance(planes, str):
        planes = ",".join(str(int(one)) for one in planes)
    with_ = with_of(**{name: value for name, value in own.items() if name != "progress"})
    return Collapsed(*_core.collapse(os.fsdecode(cube), how, planes, float(snr), with_, beam_of(beam), os.fsdecode(output),
                                     overwrite, teller(own.get("progress"))))
