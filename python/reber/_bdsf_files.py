# SPDX-License-Identifier: BSD-3-Clause
"""The files of an Image of reber.bdsf: catalogues and maps, with PyBDSF's names and folders."""
import math
import os
import tempfile
import time

from ._bdsf_options import choice
from ._bdsf_text import sagecal_text, star_text
from ._maps import closed, header_of, write_map
from .errors import InputError

# Of each format: the ending by which Reber knows it (None: that of the table's kind), the tables that it may hold, and the
# end of PyBDSF's own file names.
_BOTH, _GAUL = ("gaul", "srl"), ("gaul",)
_FORMATS = {
    "fits": (".fits", _BOTH, "{}.fits"), "csv": (".csv", _BOTH, "{}"), "ascii": (None, _BOTH, "{}"),
    "ds9": (".reg", _BOTH, "{}.reg"), "bbs": (".skymodel", _GAUL, "sky_in"), "kvis": (".ann", _GAUL, "kvis.ann"),
    "sagecal": (".lsm", _GAUL, "lsm"), "star": (".star", _GAUL, "star"),
}
_TABLES = ("fits", "csv", "ascii")
_AXES = ("CTYPE3  = 'STOKES  '", "CRVAL3  =                  1.0", "CDELT3  =                  1.0",
         "CRPIX3  =                  1.0", "CTYPE4  = 'FREQ    '", "CUNIT4  = 'Hz      '", "CDELT4  =          300000000.0",
         "CRPIX4  =                  1.0", "SPECSYS = 'TOPOCENT'")
_MAPS = {"rms": "rms", "mean": "mean", "ch0": "image", "gaus_resid": "residual", "gaus_model": "model"}


def write_table(img, outfile, format, catalog_type, bbs_patches, channels, clobber, force, root=None):
    """As Image.write_catalog, whose keywords have been looked at."""
    choice("catalog_type", catalog_type, _BOTH)
    ending, kinds, suffix = _FORMATS[choice("format", format, tuple(_FORMATS))]
    if catalog_type not in kinds:
        raise InputError(f"catalog_type='srl' cannot be honoured: {format} holds Gaussians; 'gaul' was expected")
    if root and format == "ds9":
        raise InputError(f"srcroot={root!r} cannot be honoured: labels of regions are numbers")
    patches = choice("bbs_patches", bbs_patches, (None, "single", "gaussian", "source")) or "none"
    if img.nsrc == 0 and not force:
        print("No sources were found in the image. Output file not written.")
        return False
    more = img._spectra[catalog_type].columns(channels and format in _TABLES) if img._spectra else {}
    run = img._result._run

    def write(path):
        if format == "star":
            _write_text(path, star_text(img._result.table("gaul")))
        elif format == "sagecal":
            with tempfile.TemporaryDirectory(prefix="reber-") as folder:
                model = os.path.join(folder, "gaussians.skymodel")
                run.write_table(model, "gaul", more, "none", root or "")
                with open(model, encoding="ascii") as file:
                    _write_text(path, sagecal_text(file.read(), img._result.history[0].split(",")[0]))
        else:
            run.write_table(path, catalog_type, more, patches, root if root and format == "bbs" else "")

    outfile = outfile or f"{img.imagename}.{suffix.format(catalog_type)}"
    return _place(outfile, clobber, ending or "." + catalog_type, write)


def write_map_of(img, outfile, kind, dilation, clobber):
    """As Image.export_image."""
    choice("img_type", kind, (*_MAPS, "island_mask"))
    outfile = outfile or f"{img.imagename}_{kind}.fits"
    return _place(outfile, clobber, ".fits", lambda path: _write_map(img, path, kind, dilation))


def _write_map(img, path, kind, dilation):
    """With four axes, as PyBDSF writes all its maps: those of STOKES and FREQ have one pixel."""
    run = (img._result if img._result.searched or kind == "island_mask" else img._whole)._run
    cards = list(_AXES)
    if img.frequency:
        told = {card[:8] for card in run.cards}
        names = ("CRVAL4  ",) if "RESTFRQ " in told else ("CRVAL4  ", "RESTFRQ ")
        cards += [f"{name}= {float(img.frequency)!r:>20}" for name in names]
    run.write(path, _MAPS.get(kind, "mask"), "pybdsf", "", "source", "no", True, cards, 2, None)
    if kind == "island_mask" and dilation > 0:
        grown = img._result.mask(dilate=dilation)
        if img.beam is not None and img._pixel_deg2:
            grown = closed(grown, int(round(1.5 * img.beam[0] / math.sqrt(img._pixel_deg2))))
        write_map(path, grown, "".join(header_of(path)[0]))


def _write_text(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def _place(outfile, clobber, ending, write):
    """Writes beside the place under the ending that names the format, then renames."""
    outfile = os.fspath(outfile)
    if os.path.exists(outfile) and not clobber:
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


_ALL_TABLES = (("bbs", "gaul", "sky_in"), ("sagecal", "gaul", "lsm"), ("ascii", "gaul", "gaul"), ("ascii", "srl", "srl"),
               ("star", "gaul", "star"), ("kvis", "gaul", "kvis.ann"), ("ds9", "gaul", "gaul.ds9.reg"),
               ("ds9", "srl", "srl.ds9.reg"), ("fits", "gaul", "gaul.FITS"), ("fits", "srl", "srl.FITS"))
_ALL_MAPS = (("rms", "background", "rmsd_I"), ("mean", "background", "mean_I"), ("gaus_resid", "residual", "resid_gaus"),
             ("gaus_model", "model", "model"))


def write_all(img, options):
    """What output_all asks for, in OUTDIR/NAME_pybdsf; with opdir_overwrite='append' in a folder of this time in it. Files of
    an earlier run are replaced by those of their names. Gives the folder."""
    folder = os.path.join(img.outdir, img.parentname + "_pybdsf")
    if choice("opdir_overwrite", options["opdir_overwrite"], ("overwrite", "append")) == "append":
        folder = os.path.join(folder, time.strftime("%d%b%Y_%H.%M.%S"))

    def place(part, name):
        os.makedirs(os.path.join(folder, part), exist_ok=True)
        return os.path.join(folder, part, name)

    for kind, part, name in _ALL_MAPS:
        write_map_of(img, place(part, f"{img.imagename}.{name}.fits"), kind, 0, True)
    for format, kind, name in _ALL_TABLES if img.nsrc else ():
        write_table(img, place("catalogues", f"{img.imagename}.{name}"), format, kind, None, bool(options["incl_chan"]), True, False)
    _write_text(place("misc", "parameters_used"), "".join(f"{name} = {ascii(value)}\n" for name, value in sorted(options.items())))
    return folder
