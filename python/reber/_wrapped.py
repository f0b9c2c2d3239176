# SPDX-License-Identifier: BSD-3-Clause
"""What stands for an array: HDUs, NDData, Quantities, spectral-cube's, xarray's and dask's. Each is opened layer by layer, and
what a layer says of its pixels (header, WCS, unit, beam, mask) is kept."""
import warnings

import numpy as np

from . import _core, _data_array
from ._devices import from_dlpack, on_a_card
from ._headers import cards_of, value_of
from ._units import unit_text
from .errors import DeviceError, InputError


class Told:
    """What is known of an array's pixels beside their values. What was said first counts: the caller's word, then the
    outer layers'."""

    def __init__(self, header=None, wcs=None, unit=None, beam=None, plane=None):
        self.cards = cards_of(header)
        self.given = bool(self.cards)  # by the caller
        self.wcs = cards_of(wcs)
        self.unit, self.beam, self.plane = unit_text(unit), beam, plane
        self.masks = []
        self.position = ()  # of the plane in an array of more axes, the slowest first

    def add(self, header=None, wcs=None, unit=None, beam=None):
        if header is not None and not self.given:
            self.cards = self.cards or cards_of(header)
        if wcs is not None and not self.wcs and not self.given:
            self.wcs = cards_of(wcs)
        if self.unit is None and unit is not None:
            self.unit = unit_text(unit)
        if self.beam is None and beam is not None:
            self.beam = beam

    def add_meta(self, meta):
        """A Header, or a dict that holds keywords of FITS, or a header, a WCS, a beam or a unit by these names."""
        if meta is None or not hasattr(meta, "items"):
            return
        if not hasattr(meta, "tostring"):
            lower = {key.lower(): key for key in meta if isinstance(key, str)}
            inner = {word: meta[lower[word]] for word in ("header", "wcs", "beam") if word in lower}
            for word in ("unit", "units"):
                if word in lower:
                    inner.setdefault("unit", meta[lower[word]])
            header = inner.get("header")
            beam = inner.get("beam")
            self.add(header=header if hasattr(header, "items") or isinstance(header, str) else None,
                     beam=None if isinstance(beam, str) else beam, unit=inner.get("unit"), wcs=inner.get("wcs"))
            if header is not None:
                return
        self.add(header=meta)

    @property
    def unit_or_header(self):
        """The unit's text; empty where there is none."""
        unit = value_of(self.cards, "BUNIT") if self.unit is None else self.unit
        return str(unit) if unit is not None else ""


def _has(*names):
    return lambda one: all(hasattr(one, name) for name in names)


def _open_list(hdus, told):
    for hdu in hdus:
        if getattr(hdu, "is_image", False) and np.ndim(hdu.data) >= 2:
            return hdu
    raise InputError("a list of HDUs without an image was given")


def _open_hdu(hdu, told):
    data = hdu.data
    if data is None or getattr(getattr(data, "dtype", None), "names", None):
        raise InputError("an HDU without an image was given")
    header = hdu.header
    if getattr(hdu, "_do_not_scale_image_data", False):  # the stored numbers, which the header says how to read
        blank = header.get("BLANK")
        stored, data = data, data * np.float64(header.get("BSCALE", 1)) + header.get("BZERO", 0)
        if blank is not None and stored.dtype.kind in "iu":
            data[stored == blank] = np.nan
    told.add(header=header)
    return data


def _open_nddata(image, told):
    told.add(wcs=image.wcs, unit=image.unit)
    told.add_meta(image.meta)
    _add_mask(image.mask, told)
    return image.data


def _open_cube(cube, told):
    """spectral-cube's: a plane is a Slice."""
    if cube.shape[0] != 1 and told.plane is None:
        raise InputError(f"a cube of {cube.shape[0]} planes was given; an image has two axes: plane= says which")
    plane, told.plane = told.plane or 0, None
    if not 0 <= plane < cube.shape[0]:
        raise InputError(f"plane={plane}: the cube has planes 0 to {cube.shape[0] - 1}")
    told.add(header=cube.header)  # a Slice does not know its frequency
    told.position = (plane,)
    return cube[plane]


def _open_quantity(image, told):
    """A Quantity, which spectral-cube's Projection and Slice are as well."""
    beam = None
    try:
        beam = getattr(image, "beam", None)
    except Exception:  # spectral-cube's NoBeamError
        pass
    told.add(wcs=getattr(image, "wcs", None), unit=image.unit, beam=beam)
    if hasattr(image, "wcs"):
        told.add(header=getattr(image, "header", None))
        _add_mask(getattr(image, "mask", None), told)
    return image.value


def _open_masked(image, told):
    """astropy's Masked."""
    _add_mask(image.mask, told)
    return image.unmasked


def _open_numpys_masked(image, told):
    if image.mask is not np.ma.nomask:
        _add_mask(image.mask, told)
    return image.data


def _open_cutout(image, told):
    """astropy's Cutout2D."""
    told.add(wcs=image.wcs)
    return image.data


def _open_uncertainty(image, told):
    """astropy's uncertainties, as a standard deviation."""
    kinds = {"std": lambda values: values, "var": np.sqrt, "ivar": lambda values: 1 / np.sqrt(values)}
    kind = image.uncertainty_type
    if kind not in kinds:
        raise TypeError(f"an uncertainty of type '{kind}' was given; 'std', 'var' or 'ivar' was expected")
    unit = image.unit
    if unit is None and image.parent_nddata is not None:
        unit = image.parent_nddata.unit
    elif unit is not None and kind != "std":
        unit = unit ** (0.5 if kind == "var" else -0.5)
    told.add(unit=unit)
    with np.errstate(divide="ignore", invalid="ignore"):
        return kinds[kind](np.asarray(image.array))


def _open_dask(image, told):
    return image.compute()


def _add_mask(mask, told):
    """True is ignored; of spectral-cube's masks the pixels that are not included."""
    if mask is None or mask is False:
        return
    if hasattr(mask, "include"):
        mask = ~np.asarray(mask.include())
    told.masks.append(np.asarray(mask).astype(bool))


def _refuse_pint(image, told):
    raise TypeError("a Quantity of pint was given: give its .magnitude, and unit='Jy/beam'")


def _refuse_dataset(image, told):
    raise TypeError(f"a Dataset was given: choose one of its arrays, {', '.join(map(str, image.data_vars))}")


# The first that fits.
_LAYERS = (
    (lambda one: isinstance(one, list) and hasattr(one, "index_of"), _open_list),
    (_has("unmasked_data", "spectral_axis"), _open_cube),
    (_has("unmasked", "mask"), _open_masked),
    (_has("data", "meta", "mask", "wcs", "unit", "uncertainty"), _open_nddata),
    (_has("data", "wcs", "bbox_original"), _open_cutout),
    (_has("uncertainty_type", "array", "parent_nddata"), _open_uncertainty),
    (_has("data_vars", "coords"), _refuse_dataset),
    (_has("dims", "coords", "attrs", "transpose"), _data_array.opened),
    (_has("__dask_graph__", "compute"), _open_dask),
    (_has("unit", "value", "to_value"), _open_quantity),
    (lambda one: isinstance(one, np.ma.MaskedArray), _open_numpys_masked),
    (_has("magnitude", "units"), _refuse_pint),
    (lambda one: hasattr(one, "header") and hasattr(one, "data") and not isinstance(one, np.ndarray), _open_hdu),
)


def opened(image, told):
    """The array inside, as its library has it."""
    while not on_a_card(image):
        layer = next((open_layer for fits, open_layer in _LAYERS if fits(image)), None)
        if layer is None:
            return from_dlpack(image)
        image = layer(image, told)
    if told.masks:
        raise TypeError("an array on a card was given with a mask: set those pixels to NaN there")
    return image


_said = set()


def _say_once(kind):
    """That digits are lost is said once for each type of pixel."""
    if kind not in _said:
        _said.add(kind)
        warnings.warn(f"pixels of type {kind} are computed in floats of 32 bits: 7 digits (said once)", stacklevel=6)


def _two_axes(array, told):
    """[y, x]: the plane that was asked for of more axes."""
    if array.ndim > 2:
        planes = int(np.prod(array.shape[:-2]))
        if planes != 1 and told.plane is None:
            raise ValueError(f"an array of {array.ndim} axes was given; an image has two, [y, x]: plane= says which of {planes}")
        plane = told.plane or 0
        if not 0 <= plane < planes:
            raise InputError(f"plane={plane}: the array has planes 0 to {planes - 1}")
        told.position = np.unravel_index(plane, array.shape[:-2])
        return array[told.position]
    if array.ndim != 2:
        raise ValueError(f"an array of {array.ndim} axes was given; an image has two, [y, x]")
    if told.plane:
        raise InputError(f"plane={told.plane}: the array has one plane, 0")
    return array


def float32(array, told):
    """float32, [y, x], C order: a view where the array is so already. Masked pixels are blank (NaN)."""
    array = np.asarray(array)
    whole = array.shape
    array = _two_axes(array, told)
    if array.size == 0:
        raise ValueError(f"an image of {array.shape} pixels was given: it is empty")
    if array.dtype.kind not in "fiu":
        raise TypeError(f"pixels of type {array.dtype} were given; numbers were expected")
    if array.dtype.itemsize > 4 or (array.dtype.kind in "iu" and array.dtype.itemsize == 4):
        _say_once(str(array.dtype))
    pixels = array
    _refuse_too_large(array)
    if array.dtype != np.float32 or not array.flags.c_contiguous:
        with np.errstate(over="ignore"):
            pixels = np.ascontiguousarray(array, dtype=np.float32)
    if array.dtype.kind == "f" and array.dtype.itemsize > 4:
        _refuse_lost(array, pixels)
    for mask in told.masks:
        if mask.ndim > 2 and mask.shape == whole:
            mask = _two_axes(mask, told)
        elif mask.ndim > 2:
            mask = np.squeeze(mask, tuple(range(mask.ndim - 2)))
        if np.any(mask):
            pixels = np.where(np.broadcast_to(mask, pixels.shape), np.float32(np.nan), pixels)
    return pixels


def float32_cube(array, told):
    """float32, [plane, y, x] or with more axes before. Masked pixels are blank (NaN)."""
    array = np.asarray(array)
    if array.ndim < 3:
        raise ValueError(f"an array of {array.ndim} axes was given; a cube has three, [plane, y, x]")
    pixels = float32(array.reshape(-1, array.shape[-1]), Told()).reshape(array.shape)
    for mask in told.masks:
        pixels = np.where(np.broadcast_to(mask, pixels.shape), np.float32(np.nan), pixels)
    return pixels


def _refuse_too_large(array):
    """A copy in floats of 32 bits must fit; of a broadcast array nobody has had the memory yet."""
    copied = array.dtype != np.float32 or not array.flags.c_contiguous
    if copied and array.size > 1 << 24 and 4 * array.size > _core.free_memory():
        raise DeviceError(f"not enough memory for an image of {array.shape[0]} x {array.shape[1]} pixels in floats of 32 bits: "
                          f"{4 * array.size / 2**30:.1f} GiB")


def _refuse_lost(array, pixels):
    """Numbers that floats of 32 bits do not hold would be blank, or 0."""
    too_large = np.count_nonzero(np.isinf(pixels)) > np.count_nonzero(np.isinf(array))
    if too_large or (not pixels.any() and array.any()):
        raise ValueError(f"pixels of type {array.dtype} were given that floats of 32 bits do not hold (1e-38 to 3e38): choose "
                         "another unit")
