# SPDX-License-Identifier: BSD-3-Clause
"""PyBDSF's calls on Reber: `from reber import bdsf` in place of `import bdsf`.

A keyword that is not honoured raises with the reason (reber.InputError), one that PyBDSF has not raises RuntimeError.
A keyword at PyBDSF's default means "as Reber does".
"""
import functools
import math
import os
import warnings

import numpy as np

from ._bdsf_files import write_all, write_map_of, write_table
from ._bdsf_input import Opened, frequency_of, parent_of, pixel_area
from ._bdsf_options import OWN, choice, known_options, truth
from ._bdsf_rows import Gaussian, Source, by, islands_of, plain_rows
from ._bdsf_spectra import Spectra, channel_fluxes
from ._images import Source as Pixels
from ._run import _run
from .errors import InputError


def process_image(filename, **options):
    """Finds the sources of a FITS image and gives an Image. options: PyBDSF's; docs/python.md lists the honoured."""
    return Image(filename, known_options(options))


class Image:
    """What PyBDSF's process_image gives: counts, sources, maps, and the files that can be written. Its arrays are [x, y]."""

    def __init__(self, filename, options):
        self.filename = os.fspath(filename)
        path = os.path.join(options["indir"], self.filename) if options["indir"] else self.filename
        self._options, self._path = options, path
        with_ = {"threads": int(options["ncores"] or 0)}
        if options["beam"] is not None:
            major, minor, angle = options["beam"]
            with_["beam"] = (major * 3600, minor * 3600, angle)
        self.parentname = parent_of(self.filename)
        self.imagename = self.parentname + ".pybdsf"
        self.outdir = os.path.abspath(options["outdir"] or os.path.dirname(path))
        opened = Opened(path, options, with_)
        self._opened, self._with, self._pixel_deg2 = opened, with_, pixel_area(opened.cards)
        head = opened.head if opened.image is None else self._run([], {})
        self.beam = tuple(head.beam) if head.beam else None
        self.frequency = head._run.frequency if head._run.frequency > 0 else frequency_of(opened.cards)
        self.shape = (1, len(opened.channels), head.shape[1], head.shape[0])
        self._result, self._list, self._islands, self._wcs = head, ([], []), [], None
        self._spectra, self.nisl = None, 0
        stop_at = choice("stop_at", options["stop_at"], (None, "read", "isl"))
        if stop_at != "read":
            self._find(fits=stop_at is None)
        self.sources, self.gaussians = self._list
        self.nsrc, self.ngaus = len(self.sources), len(self.gaussians)
        self.total_flux_gaus = float(sum(one.total_flux for one in self.gaussians))
        if truth(options["output_all"]) and stop_at is None:
            self.basedir = write_all(self, options)

    def _run(self, stages, settings):
        """On the image itself, or on what the keywords made of it."""
        opened = self._opened
        if opened.image is None:
            return _run(self._path, stages, settings, **self._with)
        image = Pixels(self._path, opened.image, opened.cards, self._with.get("unit"), opened.beam, None)
        return _run(image, stages, settings, threads=self._with["threads"])

    def _find(self, fits):
        settings = self._settings()
        if not fits:
            settings["fit"] = "moments"
        self._result = self._run(["background", "detect"], settings)
        self.nisl, self._islands = self._result._run.island_count, None
        if self.nisl == 0 and not np.isfinite(self._result.image).any():
            raise RuntimeError("All pixels in the image are blanked.")
        if not (fits and self.nisl):
            return
        widest = self._options["flag_maxsize_bm"]
        if widest is not None and self.beam is not None:
            self._result._run.drop_wider(float(widest) * self.beam[0] * self.beam[1])
        rows = self._result.table("gaul")
        gaussians = [Gaussian(row) for row in plain_rows(rows)]
        by_source = by("source_id", gaussians)
        self._list = [Source(row, by_source) for row in plain_rows(self._result.table("srl"))], gaussians
        if truth(self._options["spectralindex_do"]):
            self._measure_spectra(rows, settings)

    def _measure_spectra(self, rows, settings):
        asked, channels = self._options, self._opened.channels
        left_out = {int(one) for one in asked["flagchan_list"] or []}
        kept = [number for number in range(len(channels)) if number not in left_out]
        if len(kept) < 2:
            raise InputError(f"spectralindex_do=True cannot be honoured: the image has {len(kept)} channel(s), two or more were expected")
        given = asked["frequency_sp"]
        given = None if given is None else [given[number] for number in kept if number < len(given)]
        told = channel_fluxes(self._path, [(channels[number], self._opened.beams[number]) for number in kept], rows, settings,
                              {name: value for name, value in self._with.items() if name != "beam"}, given)
        least = float(asked["specind_snr"])
        gaussians = Spectra(*told, least)
        self._spectra = {"gaul": gaussians, "srl": gaussians.of_sources(rows["Source_id"], len(self._list[0]), least)}
        for objects, kind in zip(self._list, ("srl", "gaul")):
            self._spectra[kind].tell(objects)

    def _settings(self):
        """Keywords of find()."""
        asked = self._options
        settings = {"threshold": asked["thresh_pix"], "flood": asked["thresh_isl"], "group_tol": asked["group_tol"],
                    "group_by_island": bool(asked["group_by_isl"]), "adaptive": bool(asked["adaptive_rms_box"]),
                    "background": "clip" if asked["rms_map"] is False else "grid", "min_area": self._least_pixels()}
        if settings["background"] == "grid" and asked["rms_box"] is not None:
            settings["box"], settings["step"] = (int(part) for part in asked["rms_box"])
        if choice("spline_rank", asked["spline_rank"], (1, 2, 3, 4)) != 3:
            warnings.warn("spline_rank: between the boxes Reber's maps are linear, as with 1, whatever is asked for", stacklevel=5)
        if choice("thresh", asked["thresh"], (None, "hard", "fdr")) == "fdr":
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
        if choice("mean_map", asked["mean_map"], ("default", "zero", "const", "map")) in ("zero", "const"):
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

    def pixel_beamarea(self):
        """Pixels that a beam covers."""
        return self._pixels_per_beam()

    @property
    def islands(self):
        """All islands, each with its sources."""
        if self._islands is None:
            self._islands = islands_of(self._result, *self._list, self._pixels_per_beam())
        return self._islands

    @functools.cached_property
    def _whole(self):
        """One background and one noise of the whole image."""
        return self._run(["background"], {"background": "clip"})

    def _map(self, name):
        made = self._result if self._result.searched else self._whole
        pixels = getattr(made, name)
        return (pixels() if callable(pixels) else pixels).T

    ch0_arr = property(lambda self: self._map("image"), doc="The image, Jy/beam.")
    mean_arr = property(lambda self: self._map("mean"), doc="The background, Jy/beam.")
    rms_arr = property(lambda self: self._map("rms"), doc="The noise, Jy/beam.")
    model_gaus_arr = property(lambda self: self._map("model"), doc="The Gaussians, Jy/beam.")
    resid_gaus_arr = property(lambda self: self._map("residual"), doc="The image less its Gaussians, Jy/beam.")
    raw_mean = property(lambda self: float(np.nanmean(self.ch0_arr, dtype=np.float64)), doc="Of all pixels, Jy/beam.")
    raw_rms = property(lambda self: float(np.nanstd(self.ch0_arr, dtype=np.float64, ddof=1)), doc="Standard deviation of all pixels.")
    clipped_mean = property(lambda self: float(np.nanmax(self._whole.mean)), doc="The clipped mean of the whole image.")
    clipped_rms = property(lambda self: float(np.nanmax(self._whole.rms)), doc="The clipped standard deviation of the whole image.")
    nchan = property(lambda self: self.shape[1], doc="Channels of the file.")
    header = property(lambda self: self._opened.head.header, doc="The file's header, as astropy has it.")

    @property
    def _sky(self):
        if self._wcs is None:
            from astropy.wcs import WCS

            self._wcs = WCS(self._result.header).celestial
        return self._wcs

    def pix2sky(self, place):
        """[RA, DEC] in degrees of a pixel (x, y) that counts from 0. Needs astropy."""
        return [float(one) for one in self._sky.all_pix2world(place[0], place[1], 0)]

    def sky2pix(self, place):
        """[x, y], which count from 0, of (RA, DEC) in degrees. Needs astropy."""
        return [float(one) for one in self._sky.all_world2pix(place[0], place[1], 0)]

    def write_catalog(self, outfile=None, format="bbs", srcroot=None, catalog_type="gaul", bbs_patches=None,
                      incl_chan=False, incl_empty=False, clobber=False, force_output=False, correct_proj=True,
                      bbs_patches_mask=None):
        """Writes sources ('srl') or Gaussians ('gaul') as fits, ascii, csv, ds9; Gaussians as bbs, kvis, sagecal, star too.
        incl_chan: with spectralindex_do, the fluxes of the channels. srcroot: what names in bbs and sagecal begin with. False where nothing was written: the file exists,
        or there is no source and force_output is not set."""
        for name, value, usual in (("incl_empty", truth(incl_empty), False), ("correct_proj", truth(correct_proj), True),
                                   ("bbs_patches_mask", bbs_patches_mask, None)):
            if value != usual:
                raise InputError(f"{name}={value!r} cannot be honoured: {usual!r} was expected")
        if truth(incl_chan) and self._spectra is None:
            raise InputError("incl_chan=True cannot be honoured: process_image(..., spectralindex_do=True) measures the channels")
        return write_table(self, outfile, format, catalog_type, bbs_patches, truth(incl_chan), truth(clobber), truth(force_output),
                           srcroot)

    def export_image(self, outfile=None, img_format="fits", pad_image=False, img_type="gaus_resid", mask_dilation=0,
                     clobber=False):
        """Writes a map: rms, mean, ch0, gaus_resid, gaus_model or island_mask (1 in islands). False where it exists.

        mask_dilation: the mask grows so often by its four neighbours; what is left open within 1.5 beams is closed."""
        choice("img_format", img_format, ("fits",))
        return write_map_of(self, outfile, img_type, int(mask_dilation), truth(clobber))


def _pair_of_maps(name, asked):
    """[mean, rms] as paths; None where they are not given."""
    maps = asked[name]
    if not maps:
        return None
    if isinstance(maps, str) or len(maps) != 2:
        raise InputError(f"{name}: [mean, rms] was expected")
    return [os.fspath(one) for one in maps]
