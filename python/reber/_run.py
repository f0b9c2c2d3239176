# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the pipeline: find, background, convolve, and the result that they give."""
import json
import os

from . import _core
from ._devices import DeviceArray, Lent, card_for
from ._images import is_path, source_of
from ._keywords import told
from ._maps import maps_as_files, without
from ._planes import Planes
from ._progress import teller
from ._stored import StoredRun
from ._tables import Tables, write_parquet
from ._units import in_unit, unit_text
from ._viewer import view
from ._views import plot, result_html, result_text, show
from .errors import InputError


class Result(Tables):
    """What a run left. Maps are made when they are asked for, as float32 arrays [y, x] in the image's unit.

    Its length is that of .sources; result[i], result["Total_flux"], iteration and masks are those of .sources as well. It can
    be copied and pickled: the copy of a pickle has tables and maps, and writes no files.
    """

    def __init__(self, run):
        super().__init__(run)
        self._run = run

    def __repr__(self):
        return result_text(self)

    def _repr_html_(self):
        return result_html(self)

    def __copy__(self):
        return Result(self._run)

    def __deepcopy__(self, memo):
        return Result(self._run)  # nothing of it changes

    def __reduce__(self):
        run = self._run
        return Result, (run if isinstance(run, StoredRun) else StoredRun(run, [row["name"] for row in _core.products() if row["map"]]),)

    @property
    def gaussians(self):
        """PyBDSF's table of Gaussians."""
        return self.table("gaul")

    @property
    def islands(self):
        """One row per island, in Selavy's columns."""
        return self.table("casda-islands")

    def to_xarray(self, *names):
        """Maps as an xarray Dataset with dimensions y and x; all that the run has where none is named. find() takes its
        arrays: they hold the header."""
        import xarray

        if not names:
            names = [row["name"] for row in _core.products() if row["map"] and row["name"] in ("image", "mean", "rms", "snr")
                     and self._has(row["name"])] + (["labels"] if self.searched else [])
        cards = "".join(self.cards)
        arrays = {}
        for name in names:
            pixels = getattr(self, name)
            pixels = pixels() if callable(pixels) else pixels
            attrs = {"header": cards, "units": "" if name in ("snr", "labels", "mask") else self.unit}
            if self.beam:
                attrs["beam"] = (self.beam[0] * 3600, self.beam[1] * 3600, self.beam[2])
            arrays[name] = (("y", "x"), pixels, attrs)
        return xarray.Dataset(arrays, attrs={"source": self.source, "history": self.history})

    def _has(self, name):
        try:
            return self._run.map(name) is not None
        except InputError:
            return False

    def plot(self, what="image", ax=None, sources=True):
        """Draws a map, and the FWHM of each source. Gives the Axes of matplotlib; without it, of the image, the program's own
        picture, which a notebook shows."""
        return plot(self, what, ax, sources)

    def show(self, index, margin=3):
        """One row of .sources with data, model and residual around it, so many FWHMs to each side."""
        return show(self, index, margin)

    def view(self, program=None, port=0, width="100%", height=720):
        """The viewer with this image and these sources, served on this machine: a notebook shows it in a frame. It runs until its
        close(). program: another reber than that of this installation; port: 0 for a free one."""
        return view(self, program, port, width, height)

    source = property(lambda self: self._run.path, doc="The file, or 'array'.")
    unit = property(lambda self: self._run.unit, doc="Of the pixels; empty where unknown.")
    cards = property(lambda self: self._run.cards, doc="The image's header as 80-character cards.")
    searched = property(lambda self: self._run.has_islands, doc="Whether sources were looked for.")
    can_draw = property(lambda self: self._run.may_draw, doc="Whether it writes pictures.")
    labels = property(lambda self: self._run.labels(), doc="int32: the number of each pixel's island, 0 outside.")
    beam = property(lambda self: self._run.beam, doc="(major, minor, position angle) in degrees; None where unknown.")
    warnings = property(lambda self: self._run.warnings, doc="What the command line would warn of.")
    history = property(lambda self: self._run.history, doc="How it was made, a line a fact.")
    shape = property(lambda self: self._run.shape, doc="(ny, nx).")
    report = property(lambda self: json.loads(self._run.report), doc="Stages, times and facts, as --json writes them.")

    @property
    def header(self):
        """The image's header as an astropy Header."""
        from astropy.io.fits import Header

        return Header.fromstring("".join(self.cards))

    def mask(self, dilate=0):
        """True in islands. dilate: so many rounds of growth by the four neighbours."""
        mask = self.labels > 0
        for _ in range(dilate):
            grown = mask.copy()
            grown[1:] |= mask[:-1]
            grown[:-1] |= mask[1:]
            grown[:, 1:] |= mask[:, :-1]
            grown[:, :-1] |= mask[:, 1:]
            mask = grown
        return mask

    def on_device(self, what="image"):
        """image, mean, rms, snr or labels as a DeviceArray, in the memory of the card that computed: for CuPy, PyTorch and
        JAX, without a copy over the bus."""
        return DeviceArray(self._run.on_device(what))

    @property
    def bytes_over_the_bus(self):
        """(to the card, from the card), of the run, without maps and tables asked for after it."""
        stages = self.report["stages"]
        return sum(stage["bytes_up"] for stage in stages), sum(stage["bytes_down"] for stage in stages)

    def write(self, path, what="catalogue", *, columns="pybdsf", format="", patches="source", overwrite=False,
              durable="end", progress=None):
        """Writes a catalogue (format by the path's ending, as the command line does), or what else reber.products()
        names. patches: of a sky model. durable: 'no' leaves it to the system when the bytes reach the disk; else they
        are there when this returns. A name that ends in .parquet is written by pyarrow."""
        if what == "catalogue" and os.fsdecode(path).endswith(".parquet"):
            return write_parquet(self.to_arrow(columns), os.fsdecode(path), overwrite)
        self._run.write(os.fsdecode(path), what, columns, format, patches, durable, overwrite, [], 0, teller(progress))


# Methods; the other maps are properties.
_CALLED = ("model", "residual")


def _reader_of(name, text):
    def read(self):
        return self._run.map(name)

    read.__name__, read.__doc__ = name, text
    return read


def _add_maps():
    """A member of Result for each map of the table of products."""
    for row in _core.products():
        name = row["name"]
        if not row["map"] or hasattr(Result, name):
            continue
        read = _reader_of(name, row["text"][0].upper() + row["text"][1:] + ".")
        setattr(Result, name, read if name in _CALLED else property(read))


_add_maps()


def with_of(*, hdu=None, plane=None, unit=None, check=False, backend="auto", device=0, threads=0, device_memory=0):
    """The keywords of all calls, as the module takes them."""
    return {"backend": backend, "device": device, "threads": threads, "device_memory": in_unit(device_memory, "bytes", "device_memory"),
            "check": check, "hdu": hdu, "plane": plane, "unit": unit_text(unit)}


def _run(image, stages, settings, *, header=None, wcs=None, beam=None, unit=None, mask=None, hdu=None, plane=None,
         check=False, backend="auto", device=None, threads=0, device_memory=0, progress=None):
    source = source_of(image, header, wcs, unit, backend, beam, hdu, plane)
    pixels = without(source.pixels, mask)
    if isinstance(pixels, Lent):
        device = card_for(pixels, backend, device)
    with_ = with_of(hdu=hdu if pixels is None else None, plane=source.plane, unit=source.unit, check=check, backend=backend,
                    device=device or 0, threads=threads, device_memory=device_memory)
    settings = {name: value for name, value in settings.items() if value is not None}

    def head():
        return _core.run(source.path, None, "", [], {}, with_, None, None)

    with maps_as_files(settings, source, head) as settings:
        array = pixels.told if isinstance(pixels, Lent) else pixels
        return Result(_core.run(source.path, array, source.cards, stages, settings, with_, source.beam, teller(progress)))


@told(_run)
def find(image, *, kernel=None, planes=None, **options):
    """Finds and measures the sources of an image.

    image: a path, or an array [y, x] with header= (an astropy Header or its cards) or wcs=; an HDU, NDData or Quantity
    will do. NaN is blank. beam: (major, minor, position angle) in arcsec and degrees, in place of the header's. unit:
    of the brightness, in place of BUNIT. mask: of an array; True is ignored, as blank. Keywords that take a FITS file
    (mean, rms, detection_image, search_mask, ...) take an array of the image's shape as well, mean and rms a number in
    the image's unit; mean: 'zero', 'const' or 'mesh', too. hdu, plane: of a file with several. backend: auto, cuda, cpu
    or reference; an array on a card is read where it lies, by that card, unless a backend of the host is asked for, to
    which it is copied. device, threads, device_memory (bytes), progress(stage, fraction of the whole), or True for a bar. All else is a parameter of the
    search, named as the command line's options with underscores: threshold=5, flood=3, box=0, fit='auto', ...
    reber.parameters() lists them. kernel: convolve first. planes: of a FITS cube, 'all', '0:7,12' or a list of numbers from
    0; each is searched by itself, and the result is a Planes: tables of all rows, with plane, frequency and beam, without maps.

    Raises reber.InputError, reber.DataError, reber.DeviceError; TypeError for an unknown keyword. Ctrl-C stops it.
    """
    own, settings = _split(options)
    stages = ["background", "detect"]
    if kernel is not None:
        stages.append("convolve")
        settings["kernel"] = kernel
    if planes is not None:
        return _planes(image, planes, stages, settings, **own)
    return _run(image, stages, settings, **own)


def _planes(image, planes, stages, settings, *, hdu=None, beam=None, unit=None, progress=None, **own):
    if not is_path(image):
        raise TypeError("planes is for FITS cubes; of an array give the planes one by one: plane=")
    for name in ("header", "wcs", "mask"):
        if name in own:
            raise TypeError(f"{name} is for arrays; a file has its own")
    if not isinstance(planes, str):
        planes = ",".join(str(one) for one in ([planes] if isinstance(planes, int) else planes))
    source = source_of(image, None, None, unit, None, beam)
    with_ = with_of(hdu=hdu, unit=source.unit, **own)

    def head():
        return _core.run(source.path, None, "", [], {}, {**with_, "plane": 0}, None, None)

    settings = {name: value for name, value in settings.items() if value is not None}
    with maps_as_files(settings, source, head) as settings:
        return Planes(_core.find_planes(source.path, planes, stages, settings, with_, source.beam, teller(progress)))


@told(_run, "background")
def background(image, **options):
    """Measures the background and the noise alone: .mean, .rms, .snr. Arguments as of find()."""
    own, settings = _split(options)
    return _run(image, ["background"], settings, **own)


@told(_run, "convolve")
def convolve(image, kernel, **options):
    """Convolves an image: .image is the result. kernel: as --kernel of the command line, 'gaussian:5' (pixels),
    'beam:30,20,45' (to this beam; arcsec, degrees), ... Arguments as of find()."""
    own, settings = _split(options)
    settings["kernel"] = kernel
    return _run(image, ["convolve"], settings, **own)


_OWN = ("header", "wcs", "beam", "unit", "mask", "hdu", "plane", "check", "backend", "device", "threads",
        "device_memory", "progress")


def _split(options):
    own = {name: options.pop(name) for name in _OWN if name in options}
    return own, options
