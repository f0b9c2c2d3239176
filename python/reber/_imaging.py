# SPDX-License-Identifier: BSD-3-Clause
"""Images of images: other grids, mosaics of pointings, cubes through steps."""
import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping

import numpy as np

from . import _core
from ._devices import DeviceArray, Lent, card_for
from ._file_studies import _smooth_common
from ._headers import cards_of, split_cards, value_of
from ._images import beam_of, in_host_memory, is_path, source_of
from ._keywords import told
from ._maps import header_of, map_of, stored_pixels, write_grid, write_map
from ._progress import teller
from ._run import _split, with_of
from ._units import in_unit
from ._wrapped import Told, float32_cube, opened
from .errors import InputError


def _common_image(*, header=None, wcs=None, beam=None, unit=None, hdu=None, plane=None, check=False, backend="auto",
                  device=None, threads=0, device_memory=0, progress=None):
    """What regrid() takes of all calls on an image."""


class _Maps(Mapping):
    """Arrays by name, read from their files when they are asked for."""

    def __init__(self, paths, files):
        self._paths, self._files, self._read = paths, files, {}

    def __getitem__(self, name):
        if name not in self._read:
            self._read[name] = stored_pixels(self._paths[name])
        return self._read[name]

    def __iter__(self):
        return iter(self._paths)

    def __len__(self):
        return len(self._paths)

    def cards(self, name):
        return "".join(header_of(self._paths[name])[0])


class _Written:
    """What lies in files: .outputs are those that were named, the others go with this."""

    def __init__(self, maps, done, outputs):
        self.maps, self.outputs = maps, outputs
        self.history, self.warnings = done["history"], done["warnings"]

    @property
    def header(self):
        from astropy.io.fits import Header

        return Header.fromstring(self.cards)


class Regridded(_Written):
    """.image, float32 [y, x] or [plane, y, x], or a DeviceArray of the card that the image was on; .header, .cards; .maps, a
    mapping with 'rms' and 'psf_map' where these were asked for; .beam in its middle (degrees), .noise_gain, .outputs,
    .history, .warnings."""

    def __init__(self, maps, done, outputs, image=None):
        super().__init__(maps, done, outputs)
        self._image, self._cards = image, done.get("cards")
        self.beam, self.noise_gain = done["beam"], done["noise_gain"]

    image = property(lambda self: self.maps["image"] if self._image is None else self._image, doc="The image on the grid.")
    cards = property(lambda self: self._cards or self.maps.cards("image"), doc="Its header as 80-character cards.")


class Mosaic(_Written):
    """.image, float32 [y, x] or [plane, y, x]; .header, .cards; .weight, .rms; .maps with 'psf_map' in addition; .beam in its middle (degrees),
    .outputs, .history, .warnings."""

    def __init__(self, maps, done, outputs):
        super().__init__(maps, done, outputs)
        self.beam = done["beam"]

    image = property(lambda self: self.maps["image"], doc="The mosaic.")
    weight = property(lambda self: self.maps["weight"], doc="Sum of p^2 / rms^2.")
    cards = property(lambda self: self.maps.cards("image"), doc="Its header as 80-character cards.")

    @property
    def rms(self):
        """The noise, as weights and interpolation leave it."""
        if "rms" not in self.maps:
            raise InputError("there is no map of the noise: weights='uniform', or write_rms_map=False")
        return self.maps["rms"]


class Cube(_Written):
    """.cube, float32 [plane, y, x], where the steps leave one; .maps, a mapping with 'mom0', 'mom0_error', 'pv' and the like;
    .header, .cards (of the cube, or else of the first map), .planes that were taken, .outputs, .history, .warnings."""

    def __init__(self, maps, done, outputs):
        super().__init__(maps, done, outputs)
        self.planes = done["planes"]

    @property
    def cube(self):
        if "cube" not in self.maps:
            raise InputError("these steps leave no cube: .maps has what they leave")
        return self.maps["cube"]

    @property
    def cards(self):
        return self.maps.cards("cube" if "cube" in self.maps else next(iter(self.maps)))


class _Files:
    """Files of one call: those that were named, and others in a folder that lasts as long as what is read of it."""

    def __init__(self, overwrite):
        self.folder, self.overwrite, self.named = None, overwrite, []

    def scratch(self, name):
        if self.folder is None:
            self.folder = tempfile.mkdtemp(prefix="reber-")
            weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        return os.path.join(self.folder, name)

    def output(self, asked, name):
        """The path of a result; '' where it is not asked for. True: a file that nobody sees."""
        if not asked:
            return ""
        if asked is True:
            return self.scratch(name)
        path = os.fsdecode(asked)
        if not self.overwrite and os.path.exists(path):
            raise InputError(f"{path} exists; overwrite=True replaces it")
        self.named.append(path)
        return path

    def image(self, image, name, **own):
        """(path, Source) of an image of two axes; an array is written to a file."""
        source = source_of(image, **own)
        if source.pixels is None:
            return source.path, source
        path = self.scratch(name)
        write_map(path, source.pixels, source.cards)
        return path, source

    def cube(self, pixels, name, told_of):
        """The file of an array [plane, y, x] with what told_of has of it."""
        path = self.scratch(name)
        write_map(path, float32_cube(in_host_memory(opened(pixels, told_of)), told_of), told_of.cards)
        return path

    def grid(self, like):
        """A file with the header of a grid."""
        if like is None or is_path(like):
            return "" if like is None else os.fsdecode(like)
        if hasattr(like, "cards") and not hasattr(like, "tostring"):  # a result of this package
            cards, shape = cards_of("".join(like.cards)), getattr(like, "shape", np.shape(getattr(like, "image", None)))
        else:
            hdu = hasattr(like, "header") and hasattr(like, "data")
            cards, shape = cards_of(like.header if hdu else like), getattr(like, "array_shape", None)
        sizes = [value_of(cards, f"NAXIS{axis}") for axis in (2, 1)]
        if None in sizes and shape and len(shape) > 1:
            sizes = shape[-2:]
        if None in sizes:
            raise InputError("like: a file, or a header with NAXIS1 and NAXIS2, was expected; a WCS needs its array_shape")
        path = self.scratch("like.fits")
        write_grid(path, (int(sizes[0]), int(sizes[1])), "".join(card for card in split_cards(cards) if card[:6] != "NAXIS "))
        return path


def _words(options, files):
    """Keywords as the module takes them, and as lines of HISTORY, where a scratch file is what it stands for."""
    hidden = lambda value: files.folder is not None and str(value).startswith(files.folder)
    told = {name: value for name, value in options.items() if value is not None and value != "" and value is not False}
    return told, [f"{name} = {'given in memory' if hidden(value) else value}" for name, value in told.items()
                  if name not in ("output", "overwrite", "name") and not name.startswith("write_")]


def _pair(value):
    """Two numbers with a comma between, from a tuple; texts as they are."""
    if value is None or isinstance(value, str):
        return value
    if hasattr(value, "ra") and hasattr(value, "dec"):  # a SkyCoord
        value = (value.ra.deg, value.dec.deg)
    return ",".join(repr(float(in_unit(one, "deg", "centre"))) for one in value)


def _grid_words(files, like, projection, centre, pixel, size, rotate, frame):
    if size is not None and not isinstance(size, str):
        size = str(int(size)) if np.ndim(size) == 0 else ",".join(str(int(one)) for one in size)
    return {"like": files.grid(like), "projection": projection, "centre": _pair(centre),
            "pixel": None if pixel is None else in_unit(pixel, "arcsec", "pixel"), "size": size,
            "rotate": in_unit(rotate, "deg", "rotate") or None, "frame": frame}


def _refuse(function, settings, *more):
    for name in [*settings, *more]:
        raise TypeError(f"unknown keyword '{name}' of {function}()")


@told(_common_image, parameters=False)
def regrid(image, *, like=None, projection=None, centre=None, pixel=None, size=None, rotate=0, frame=None,
           interpolation="fitted", beam_is="auto", use_rms_map=None, write_rms_map="", write_psf_map="", output="",
           overwrite=False, **options):
    """Puts an image or a cube on another grid, with the pixels of `reber regrid`.

    image: a FITS file or CASA image, or an array [y, x] with header= or wcs=, as find() takes it. like: an image whose grid it
    is, as a file, a header with NAXIS1 and NAXIS2, or a result; or of a new grid projection ('SIN', 'TAN', 'AIT', ...), centre
    (two numbers in degrees, or a text), pixel (arcsec), size (one number, or (nx, ny)), rotate (degrees), frame. interpolation:
    'fitted', 'bilinear' or 'nearest'. use_rms_map: the noise of the image, for write_rms_map. output, write_rms_map and
    write_psf_map: files to write; True for the last two: .maps alone has them.

    An array in host memory is regridded there, or on the card that backend= names, without a file. An array on a card is
    read where it lies and .image stays on that card; pixels in a unit per pixel must be on the host. Files and cubes go by
    way of a file, in the folder for temporary ones where output is not given, which .image reads when it is asked for.
    """
    own, settings = _split(options)
    _refuse("regrid", settings, *(name for name in own if name == "mask"))
    files, tell = _Files(overwrite), teller(own.pop("progress", None))
    device, hdu = own.pop("device", None), own.get("hdu")
    words = _grid_words(files, like, projection, centre, pixel, size, rotate, frame)
    words |= {"interpolation": interpolation, "beam_is": beam_is}
    source = source_of(image, **{name: own.pop(name, None) for name in ("header", "wcs", "unit", "beam", "plane", "hdu")},
                       backend=own.get("backend", "auto"))
    pixels, to_files = source.pixels, bool(output or use_rms_map is not None or write_rms_map or write_psf_map)
    with_ = with_of(unit=source.unit, plane=source.plane, hdu=hdu if pixels is None else None, device=device or 0, **own)
    if pixels is not None and not to_files:
        on_card = isinstance(pixels, Lent)
        if on_card:
            with_["device"] = card_for(pixels, own.get("backend", "auto"), device)
        told_, call = _words(words, files)
        done = _core.regrid_array(pixels.told if on_card else pixels, source.cards, told_, with_, source.beam, call, tell)
        return Regridded({}, done, [], DeviceArray(done["image"]) if on_card else done["image"])
    if isinstance(pixels, Lent):
        raise TypeError("output, use_rms_map, write_rms_map and write_psf_map are for files and arrays in host memory; the image "
                        "is on a card")
    path = source.path
    if pixels is not None:
        path = files.scratch("array.fits")
        write_map(path, pixels, source.cards)
    paths = {"image": files.output(output or True, "image.fits"), "rms": files.output(write_rms_map, "rms.fits"),
             "psf_map": files.output(write_psf_map, "psf_map.fits")}
    if use_rms_map is not None and not is_path(use_rms_map):
        noise = map_of("use_rms_map", use_rms_map, lambda: stored_shape(path), None)
        use_rms_map = files.scratch("noise.fits")
        write_map(use_rms_map, noise, source.cards)
    told_, call = _words(words | {"use_rms_map": use_rms_map and os.fsdecode(use_rms_map), "output": paths["image"],
                                  "write_rms_map": paths["rms"], "write_psf_map": paths["psf_map"], "overwrite": overwrite,
                                  "name": "" if source.pixels is None else "array"}, files)
    done = _core.regrid(path, told_, with_, source.beam, call, tell)
    return Regridded(_Maps({name: one for name, one in paths.items() if one}, files), done, files.named)


def stored_shape(path):
    """(ny, nx) of a FITS file."""
    cards = "".join(header_of(path)[0])
    return int(value_of(cards, "NAXIS2")), int(value_of(cards, "NAXIS1"))


def _fields(images, files):
    """[(path, name)] of a list, or of a dict by name, of files and arrays; an array with its header is a tuple of both."""
    named = images.items() if isinstance(images, dict) else ((None, one) for one in images)
    fields = []
    for i, (name, one) in enumerate(named):
        own = {}
        if isinstance(one, tuple) and len(one) == 2 and not is_path(one[0]):
            one, own = one[0], {"header": one[1]}
        if own and np.ndim(one) == 3:
            told_of = Told(own["header"], None, None, None)
            fields.append((files.cube(one, f"field_{i}.fits", told_of), str(name) if name is not None else f"array {i}"))
            continue
        path, source = files.image(one, f"field_{i}.fits", **own)
        if source.unit is not None and source.pixels is not None:
            raise InputError(f"field {i}: give its unit in the header")
        fields.append((path, str(name) if name is not None else path if is_path(one) else f"array {i}"))
    return fields


def _by_field(values, fields, count, name):
    """A row of numbers for each field, from a list in their order or a dict by their names; None for what has none."""
    if isinstance(values, dict):
        known = {word for path, word in fields} | {os.path.basename(path) for path, _ in fields}
        for one in values:
            if str(one) not in known:
                raise InputError(f"{name}: '{one}' is none of the images")
        values = [values.get(word, values.get(os.path.basename(path))) for path, word in fields]
    values = list(values)
    if len(values) != len(fields):
        raise InputError(f"{name}: {len(fields)} fields were given, and {len(values)} values")
    rows = []
    for value in values:
        row = None if value is None else np.atleast_1d(np.asarray(value, dtype=float)).tolist()
        if row is not None and (len(row) != count or not np.all(np.isfinite(row)) or (count == 1 and not row[0] > 0)):
            raise InputError(f"{name}: {count} number{'s' * (count > 1)}{' above 0' * (count == 1)} for each field {'were' if count > 1 else 'was'} expected, not {value!r}")
        rows.append(row)
    return rows


def _noise_by_field(values, fields, files):
    """(numbers, map) of each field: one of its rms, one per channel, or the path of a map of it; an array is written to a file."""
    def is_numbers(value):
        with_header = hasattr(value, "header") or (isinstance(value, tuple) and len(value) == 2 and np.ndim(value[0]) > 1)
        return not is_path(value) and not with_header and np.ndim(value) < 2

    named = values.values() if isinstance(values, dict) else values
    if all(value is None or (is_numbers(value) and np.size(value) == 1) for value in named):
        return [([] if row is None else row, "") for row in _by_field(values, fields, 1, "weights")]
    if isinstance(values, dict):
        _by_field({name: None for name in values}, fields, 1, "weights")  # of names alone
        values = [values.get(word, values.get(os.path.basename(path))) for path, word in fields]
    values = list(values)
    if len(values) != len(fields):
        raise InputError(f"weights: {len(fields)} fields were given, and {len(values)} values")
    rows = []
    for i, ((path, _), value) in enumerate(zip(fields, values)):
        if value is None:
            rows.append(([], ""))
        elif is_path(value):
            rows.append(([], os.fsdecode(value)))
        elif is_numbers(value):
            numbers = np.atleast_1d(np.asarray(value, dtype=float))
            if not np.all(np.isfinite(numbers) & (numbers > 0)):
                raise InputError(f"weights: numbers above 0 were expected for field {i}, not {value!r}")
            rows.append((numbers.tolist(), ""))
        else:
            pixels, header = value if isinstance(value, tuple) else (value, "".join(header_of(path)[0]))
            if np.ndim(pixels) == 3:
                rows.append(([], files.cube(pixels, f"rms_{i}.fits", Told(header, None, None, None))))
            else:
                rows.append(([], files.image(pixels, f"rms_{i}.fits", header=header)[0]))
    return rows


@told(_smooth_common, parameters=False)
def mosaic(images, *, like=None, projection=None, centre=None, pixel=None, size=None, rotate=0, frame=None,
           interpolation="fitted", beam_is="auto", common=False, per_plane=False, to_beam=None, beam_model="none",
           pb_corrected=False, weights="noise", cutoff=0.1, final_cutoff=0.2, shifts=None, scales=None, image_beam=None,
           output="", write_weight=True, write_rms_map=True, write_psf_map="", coverage="", overwrite=False, **options):
    """Adds pointings on one grid with the pixels of `reber mosaic`, each weighted with p^2 / rms^2, p its primary beam.

    images: FITS files, or arrays [y, x] in host memory, each as (array, header), in a list, or in a dict by name; cubes of the
    same channels likewise, with arrays [plane, y, x]. The grid is as in regrid(). common, to_beam (arcsec, degrees): smoothed
    first; per_plane: to a common beam for each plane. beam_model: 'gaussian:F@NU', 'mauch:F@NU', 'airy:D,d',
    'image:NAME'. weights: 'noise' (measured), 'uniform', 'map:NAME', a file; or of each field its rms, one per
    channel, or a map of it (a file, an array on the field's pixels, or (array, header)). shifts: (east, north) of each field in
    arcsec; scales: a factor of each; as a list, a dict by name, or a file. image_beam: in place of the headers'. output,
    write_weight, write_rms_map, write_psf_map and coverage (a MOC): files to write; True: read from .maps alone, which has no
    rms where the weights are uniform.

    Fields go by way of files: arrays are written to the folder for temporary ones, and results are read from there when they
    are asked for. The mosaic itself needs memory for a band of rows.
    """
    own, settings = _split(options)
    _refuse("mosaic", settings, *(name for name in own if name in ("header", "wcs", "mask", "beam")))
    if coverage is True:
        raise TypeError("coverage: the name of a file was expected")
    if write_rms_map is True and isinstance(weights, str) and weights == "uniform":
        write_rms_map = ""
    files, tell = _Files(overwrite), teller(own.pop("progress", None))
    fields = _fields(images, files)
    if not fields:
        raise InputError("a mosaic needs at least one image")
    words = _grid_words(files, like, projection, centre, pixel, size, rotate, frame)
    rows = {}
    for name, values, count in (("weights", weights, 1), ("shifts", shifts, 2), ("scales", scales, 1)):
        if values is None or is_path(values):
            words[name] = None if values is None else os.fsdecode(values)
        elif name == "weights":
            rows[name] = _noise_by_field(values, fields, files)
        else:
            rows[name] = _by_field(values, fields, count, name)
    paths = {"image": files.output(output or True, "image.fits"), "weight": files.output(write_weight, "weight.fits"),
             "rms": files.output(write_rms_map, "rms.fits"), "psf_map": files.output(write_psf_map, "psf_map.fits")}
    told_, call = _words(words | {
        "interpolation": interpolation, "beam_is": beam_is, "common": bool(common), "per_plane": bool(per_plane), "beam_model": beam_model,
        "pb_corrected": bool(pb_corrected), "cutoff": cutoff, "final_cutoff": final_cutoff, "output": paths["image"],
        "write_weight": paths["weight"], "write_rms_map": paths["rms"], "write_psf_map": paths["psf_map"],
        "coverage": files.output(coverage, "coverage.fits"), "overwrite": overwrite}, files)
    if to_beam is not None:
        told_["to_beam"] = beam_of(to_beam)
        call.append("to_beam = " + ",".join(f"{one:g}" for one in np.multiply(told_["to_beam"], (3600, 3600, 1))))
    of = lambda name, i, usual: (rows[name][i] or usual) if name in rows else usual
    given = [(path, name, of("scales", i, [1.0])[0], *of("shifts", i, [0.0, 0.0]), *of("weights", i, ([], "")))
             for i, (path, name) in enumerate(fields)]
    done = _core.mosaic(given, told_, with_of(**own), beam_of(image_beam), call, tell)
    return Mosaic(_Maps({name: one for name, one in paths.items() if one}, files), done, files.named)


@told(_smooth_common, parameters=False)
def cube(image, steps, *, planes="all", header=None, beam=None, output="", overwrite=False, **options):
    """Takes a cube through the steps of `reber cube`, in their order, with its pixels.

    image: a FITS cube or CASA image, or an array [plane, y, x] in host memory with header=. steps: a list of texts, or one with
    blanks between: smooth:common, regrid:LIKE.fits, feather:LOW.fits, contsub:poly1,channels=0:9, spectral:gauss:5ch,
    mask:strict=4,2,2,2, moments:0,1,2,ew,peak, pv:... (docs/cubes.md). planes: as '0:7,12', or a list of numbers from 0.
    output: the cube to write; maps are named after it.

    The cube goes by way of files: an array is written to the folder for temporary ones, as results are without output=;
    .cube and .maps read them when they are asked for. Memory holds bands of rows.
    """
    own, settings = _split(options)
    _refuse("cube", settings, *(name for name in own if name in ("wcs", "mask")))
    files, tell = _Files(overwrite), teller(own.pop("progress", None))
    steps = steps.split() if isinstance(steps, str) else [str(one) for one in steps]
    path, name, unit = None, "", own.pop("unit", None)
    if is_path(image):
        if header is not None:
            raise TypeError("header is for arrays; a file has its own")
        path = os.fsdecode(image)
    else:
        if hasattr(image, "filled_data") and hasattr(image, "spectral_axis"):  # spectral-cube's
            image, header = image.filled_data[:], image.header if header is None else header
        told_of = Told(header, None, unit, beam)
        pixels = float32_cube(in_host_memory(opened(image, told_of)), told_of)
        path, name, unit, beam = files.scratch("array.fits"), "array", told_of.unit, told_of.beam
        write_map(path, pixels, told_of.cards)
    if not isinstance(planes, str):
        planes = ",".join(str(int(one)) for one in planes)
    target = os.fsdecode(output) if output else files.scratch("cube.fits")
    told_, call = _words({"output": target, "planes": planes, "overwrite": overwrite}, files)
    call += ["steps = " + " ".join(steps)]
    done = _core.cube(path, name, steps, told_, with_of(unit=unit, **own), beam_of(beam), call, tell)
    stem = os.path.splitext(os.path.basename(target))[0]
    names = {one: os.path.splitext(os.path.basename(one))[0].removeprefix(stem).lstrip("_") or "cube" for one in done["outputs"]}
    return Cube(_Maps({name: one for one, name in names.items()}, files), done, done["outputs"] if output else [])
