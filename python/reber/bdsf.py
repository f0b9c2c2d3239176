# SPDX-License-Identifier: BSD-3-Clause
"""PyBDSF's calls on Reber: `from reber import bdsf` in place of `import bdsf`.

A keyword that is not honoured raises with the reason (reber.InputError), one that PyBDSF has not raises RuntimeError.
A keyword at PyBDSF's default means "as Reber does".
"""
import math
import os
import warnings

import numpy as np

from ._bdsf_options import OWN, known_options
from ._bdsf_rows import Gaussian, Source, by, islands_of, plain_rows
from ._maps import closed, header_of, write_map
from ._run import _run
from .errors import InputError


def process_image(filename, **options):
    """Finds the sources of a FITS image and gives an Image. options: PyBDSF's; docs/python.md lists the honoured."""
    return Image(filename, known_options(options))


class Image:
    """What PyBDSF's process_image gives: counts, sources, and the files that can be written."""

    def __init__(self, filename, options):
        self.filename = os.fspath(filename)
        path = os.path.join(options["indir"], self.filename) if options["indir"] else self.filename
        self._options, self._path = options, path
        with_ = {"threads": int(options["ncores"] or 0)}
        if options["beam"] is not None:
            major, minor, angle = options["beam"]
            with_["beam"] = (major * 3600, minor * 3600, angle)
        opened = _run(path, [], {}, **with_)
        if not any(card.startswith("BUNIT ") and card[10:].split("/")[0].strip(" '") for card in opened._run.cards):
            with_["unit"] = "Jy/beam"  # as PyBDSF takes it
            opened = _run(path, [], {}, **with_)
        told = _numbers(opened._run.cards)
        self._pixel_deg2 = _pixel_area(told)
        self.beam = tuple(opened.beam) if opened.beam else None
        self.frequency = _frequency(told, opened._run.cards)
        self.shape = (1, 1, opened.shape[1], opened.shape[0])
        self._result, self._list, self._islands, self._wcs = opened, ([], []), [], None
        self.nisl = 0
        stop_at = _choice("stop_at", options["stop_at"], (None, "read", "isl"))
        if stop_at != "read":
            self._find(with_, fits=stop_at is None)
        self.sources, self.gaussians = self._list
        self.nsrc, self.ngaus = len(self.sources), len(self.gaussians)
        self.total_flux_gaus = float(sum(one.total_flux for one in self.gaussians))

    def _find(self, with_, fits):
        settings = self._settings()
        if not fits:
            settings["fit"] = "moments"
        self._result = _run(self._path, ["background", "detect"], settings, **with_)
        self.nisl, self._islands = self._result._run.island_count, None
        if self.nisl == 0 and not np.isfinite(self._result.image).any():
            raise RuntimeError("All pixels in the image are blanked.")
        if fits and self.nisl:
            gaussians = [Gaussian(row) for row in plain_rows(self._result.table("gaul"))]
            by_source = by("source_id", gaussians)
            self._list = [Source(row, by_source) for row in plain_rows(self._result.table("srl"))], gaussians

    def _settings(self):
        """Keywords of find()."""
        asked = self._options
        settings = {"threshold": asked["thresh_pix"], "flood": asked["thresh_isl"], "group_tol": asked["group_tol"],
                    "group_by_island": bool(asked["group_by_isl"]), "adaptive": bool(asked["adaptive_rms_box"]),
                    "background": "clip" if asked["rms_map"] is False else "grid", "min_area": self._least_pixels()}
        if settings["background"] == "grid" and asked["rms_box"] is not None:
            settings["box"], settings["step"] = (int(part) for part in asked["rms_box"])
        if _choice("thresh", asked["thresh"], (None, "hard", "fdr")) == "fdr":
            settings["fdr"] = asked["fdr_alpha"]
        if asked["kappa_clip"] is not None:
            settings["kappa"] = asked["kappa_clip"]
        if asked["atrous_do"]:
            settings["wavelets"] = int(asked["atrous_jmax"]) or 3
            warnings.warn("atrous_do: islands are looked for on the wavelet planes too, Gaussians are fitted on the "
                          "image alone; Wave_id is that of emission which no Gaussian describes", stacklevel=5)
        if asked["adaptive_rms_box"]:
            if asked["adaptive_thresh"] is not None:
                settings["adaptive_threshold"] = asked["adaptive_thresh"]
            if asked["rms_box_bright"] is not None:
                settings["bright_box"], settings["bright_step"] = (int(part) for part in asked["rms_box_bright"])
        if asked["detection_image"]:
            settings["detection_image"] = os.fspath(asked["detection_image"])
            maps = _pair_of_maps("rmsmean_map_filename_det", asked)
            if maps:
                settings["detection_mean"], settings["detection_rms"] = maps
        if _choice("mean_map", asked["mean_map"], ("default", "zero", "const", "map")) in ("zero", "const"):
            settings["mean"] = asked["mean_map"]
        maps = _pair_of_maps("rmsmean_map_filename", asked)
        if maps:
            settings["mean"], settings["rms"] = maps
        settings.update({name: os.fspath(asked[name]) for name in OWN if asked[name] is not None})
        return settings

    def _least_pixels(self):
        """minpix_isl; where it is not given a third of the beam, and at least 6 pixels."""
        least = self._options["minpix_isl"]
        if least is not None:
            return int(least)
        covered = self._pixels_per_beam()
        return max(6, int(covered / 3)) if math.isfinite(covered) else 6

    def _pixels_per_beam(self):
        if self.beam is None or not self._pixel_deg2:
            return math.nan
        return math.pi / (4 * math.log(2)) * self.beam[0] * self.beam[1] / self._pixel_deg2

    @property
    def islands(self):
        """All islands, each with its sources."""
        if self._islands is None:
            self._islands = islands_of(self._result, *self._list, self._pixels_per_beam())
        return self._islands

    def pix2sky(self, place):
        """(RA, DEC) in degrees of a pixel (x, y) that counts from 0. Needs astropy."""
        if self._wcs is None:
            from astropy.wcs import WCS

            self._wcs = WCS(self._result.header).celestial
        return tuple(float(one) for one in self._wcs.all_pix2world(place[0], place[1], 0))

    def write_catalog(self, outfile=None, format="bbs", srcroot=None, catalog_type="gaul", bbs_patches=None,
                      incl_chan=False, incl_empty=False, clobber=False, force_output=False, correct_proj=True,
                      bbs_patches_mask=None):
        """Writes sources ('srl') or Gaussians ('gaul') as fits, ascii, csv, bbs, ds9 or kvis. False where nothing was
        written: the file exists, or there is no source and force_output is not set."""
        _choice("catalog_type", catalog_type, ("gaul", "srl"))
        _choice("format", format, tuple(_FORMATS))
        ending, columns, suffix = _FORMATS[format]
        for name, value, usual in (("srcroot", srcroot, None), ("incl_chan", _truth(incl_chan), False),
                                   ("incl_empty", _truth(incl_empty), False),
                                   ("correct_proj", _truth(correct_proj), True),
                                   ("bbs_patches_mask", bbs_patches_mask, None)):
            if value != usual:
                raise InputError(f"{name}={value!r} cannot be honoured: {usual!r} was expected")
        if columns is None and catalog_type != "gaul":
            raise InputError(f"catalog_type='srl' cannot be honoured: {format} holds Gaussians; 'gaul' was expected")
        patches = _choice("bbs_patches", bbs_patches, (None, "single", "gaussian", "source")) or "none"
        if self.nsrc == 0 and not _truth(force_output):
            print("No sources were found in the image. Output file not written.")
            return False
        outfile = outfile or f"{self._path}.pybdsm.{suffix.format(catalog_type)}"
        if ending is None:
            ending = "." + catalog_type
        return self._place(outfile, clobber, ending, lambda path: self._result.write(
            path, columns=catalog_type, patches=patches, overwrite=True, durable="no"))

    def export_image(self, outfile=None, img_format="fits", pad_image=False, img_type="gaus_resid", mask_dilation=0,
                     clobber=False):
        """Writes a map: rms, mean, ch0, gaus_resid, gaus_model or island_mask (1 in islands). False where it exists.

        mask_dilation: the mask grows so often by its four neighbours; what is left open within 1.5 beams is closed."""
        _choice("img_format", img_format, ("fits",))
        _choice("img_type", img_type, (*_MAPS, "island_mask"))
        outfile = outfile or f"{self._path}.pybdsm_{img_type}.fits"
        return self._place(outfile, clobber, ".fits", lambda path: self._write_map(path, img_type, int(mask_dilation)))

    def _write_map(self, path, kind, dilation):
        """With four axes, as PyBDSF writes all its maps: those of STOKES and FREQ have one pixel."""
        cards = list(_AXES)
        if self.frequency:
            told = {card[:8] for card in self._result._run.cards}
            names = ("CRVAL4  ",) if "RESTFRQ " in told else ("CRVAL4  ", "RESTFRQ ")
            cards += [f"{name}= {float(self.frequency)!r:>20}" for name in names]
        self._result._run.write(path, _MAPS.get(kind, "mask"), "pybdsf", "", "source", "no", True, cards, 2, None)
        if kind == "island_mask" and dilation > 0:
            grown = self._result.mask(dilate=dilation)
            if self.beam is not None and self._pixel_deg2:
                grown = closed(grown, int(round(1.5 * self.beam[0] / math.sqrt(self._pixel_deg2))))
            write_map(path, grown, "".join(header_of(path)[0]))

    def _place(self, outfile, clobber, ending, write):
        """Writes beside the place under the ending that names the format, then renames."""
        outfile = os.fspath(outfile)
        if os.path.exists(outfile) and not _truth(clobber):
            print(f"File {outfile} already exists and clobber is False: nothing was written.")
            return False
        beside = f"{outfile}.{os.getpid()}{ending}"
        try:
            write(beside)
            os.replace(beside, outfile)
        finally:
            if os.path.exists(beside):
                os.unlink(beside)
        return True


# Of each format: the ending by which Reber knows it (None: that of the table's kind), whether it holds columns, and
# the end of PyBDSF's own file names.
_FORMATS = {
    "fits": (".fits", True, "{}.FITS"), "csv": (".csv", True, "{}.csv"), "ascii": (None, True, "{}"),
    "bbs": (".skymodel", None, "sky_in"), "ds9": (".reg", None, "{}.ds9.reg"), "kvis": (".ann", None, "{}.kvis.ann"),
}
_AXES = ("CTYPE3  = 'STOKES  '", "CRVAL3  =                  1.0", "CDELT3  =                  1.0",
         "CRPIX3  =                  1.0", "CTYPE4  = 'FREQ    '", "CUNIT4  = 'Hz      '", "CDELT4  =          300000000.0",
         "CRPIX4  =                  1.0", "SPECSYS = 'TOPOCENT'")
_MAPS = {"rms": "rms", "mean": "mean", "ch0": "image", "gaus_resid": "residual", "gaus_model": "model"}


def _truth(value):
    return value.lower() == "true" if isinstance(value, str) else bool(value)


def _choice(name, value, known):
    if value not in known:
        raise InputError(f"{name}={value!r} cannot be honoured: one of {', '.join(map(repr, known))} was expected")
    return value


def _pair_of_maps(name, asked):
    """[mean, rms] as paths; None where they are not given."""
    maps = asked[name]
    if not maps:
        return None
    if isinstance(maps, str) or len(maps) != 2:
        raise InputError(f"{name}: [mean, rms] was expected")
    return [os.fspath(one) for one in maps]


def _numbers(cards):
    """Values of the cards that hold a number."""
    told = {}
    for card in cards:
        if card[8:10] == "= ":
            try:
                told[card[:8].strip()] = float(card[10:].split("/")[0].replace("D", "E"))
            except ValueError:
                continue
    return told


def _pixel_area(told):
    """Square degrees of a pixel at the reference, from CDELT or the CD matrix; 0 where the header says neither."""
    if "CD1_1" in told:
        return abs(told["CD1_1"] * told.get("CD2_2", 0) - told.get("CD1_2", 0) * told.get("CD2_1", 0))
    return abs(told.get("CDELT1", 0) * told.get("CDELT2", 0))


def _frequency(told, cards):
    """Hz: of the spectral axis, else RESTFRQ; None where the header says neither."""
    for card in cards:
        if card.startswith("CTYPE") and card[10:].strip().startswith("'FREQ"):
            return told.get("CRVAL" + card[5])
    return told.get("RESTFRQ", told.get("RESTFREQ"))
