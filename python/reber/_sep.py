# SPDX-License-Identifier: BSD-3-Clause
"""SEP's two calls, with its conventions: data[y, x], the first pixel's centre at (0, 0), theta from +x in radians."""
import numpy as np

from ._images import pixels_of
from ._maps import map_of, without
from ._run import _run
from ._wrapped import Told


def _masked(data, mask, told=None):
    return without(pixels_of(data, told), mask)


class Background:
    """Background and noise in cells of bw x bw pixels. mask: True is ignored."""

    def __init__(self, data, mask=None, bw=64, bh=64, fw=3, fh=3, **options):
        if bw != bh or fw != fh:
            raise ValueError("cells and filter are square here: bw = bh and fw = fh was expected")
        self._result = _run(_masked(data, mask), ["background"], {"box": bw, "filter": fw, "passes": 1}, **options)
        self._back, self._rms = self._result.mean, self._result.rms

    def back(self, dtype=np.float32):
        return self._back.astype(dtype)

    def rms(self, dtype=np.float32):
        return self._rms.astype(dtype)

    @property
    def globalback(self):
        """The median over the image."""
        return float(np.nanmedian(self._back))

    @property
    def globalrms(self):
        return float(np.nanmedian(self._rms))

    def subfrom(self, data):
        data -= self._back

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self._back, dtype=dtype)

    def __rsub__(self, data):
        return data - self._back


def extract(data, thresh, err=None, mask=None, minarea=5, segmentation_map=False, **options):
    """Sources above thresh (times err, where given), by moments. data: the background subtracted.

    err: a number or an array of the image's shape. Gives a structured array with x, y, a, b (1-sigma axes in pixels),
    theta, flux (sum of the island's pixels), peak, npix, xpeak, ypeak, flag; and the int32 map of row + 1 where asked.
    """
    import os
    import tempfile

    told = Told()
    pixels = _masked(data, mask, told)
    noise = map_of("err", 1 if err is None else err, lambda: pixels.shape, lambda: told.unit_or_header)
    rms = np.broadcast_to(np.float32(noise), pixels.shape)
    snr = np.ascontiguousarray(pixels / rms, dtype=np.float32)
    with tempfile.TemporaryDirectory() as folder:
        maps = {}
        for name, value in (("mean", 0.0), ("rms", 1.0)):
            maps[name] = os.path.join(folder, name + ".fits")
            _write_constant(maps[name], pixels.shape, value)
        found = _run(snr, ["background", "detect"],
                     {"mean": maps["mean"], "rms": maps["rms"], "threshold": thresh, "flood": thresh,
                      "min_area": minarea, "no_deblend": True, "fit": "moments"}, **options)
    labels = found.labels
    count = int(labels.max()) if labels.size else 0
    names = [("npix", "i8"), ("x", "f8"), ("y", "f8"), ("x2", "f8"), ("y2", "f8"), ("xy", "f8"), ("a", "f8"),
             ("b", "f8"), ("theta", "f8"), ("flux", "f8"), ("peak", "f8"), ("xpeak", "i8"), ("ypeak", "i8"),
             ("flag", "i8")]
    rows = np.zeros(count, dtype=names)
    y, x = np.nonzero(labels)
    of = labels[y, x] - 1
    value = pixels[y, x].astype(np.float64)
    rows["npix"] = np.bincount(of, minlength=count)
    total = np.bincount(of, value, count)
    rows["flux"] = total
    with np.errstate(invalid="ignore", divide="ignore"):
        rows["x"], rows["y"] = np.bincount(of, value * x, count) / total, np.bincount(of, value * y, count) / total
        dx, dy = x - rows["x"][of], y - rows["y"][of]
        rows["x2"] = np.bincount(of, value * dx * dx, count) / total
        rows["y2"] = np.bincount(of, value * dy * dy, count) / total
        rows["xy"] = np.bincount(of, value * dx * dy, count) / total
    half, apart = (rows["x2"] + rows["y2"]) / 2, np.hypot((rows["x2"] - rows["y2"]) / 2, rows["xy"])
    rows["a"], rows["b"] = np.sqrt(half + apart), np.sqrt(np.maximum(half - apart, 0))
    rows["theta"] = np.arctan2(2 * rows["xy"], rows["x2"] - rows["y2"]) / 2
    order = np.lexsort((-value, of))
    first = order[np.searchsorted(of[order], np.arange(count))] if count else order
    rows["peak"], rows["xpeak"], rows["ypeak"] = value[first], x[first], y[first]
    return (rows, labels) if segmentation_map else rows


def _write_constant(path, shape, value):
    cards = ["SIMPLE  =                    T", "BITPIX  =                  -32", "NAXIS   =                    2",
             f"NAXIS1  = {shape[1]:20d}", f"NAXIS2  = {shape[0]:20d}", "END"]
    data = np.full(shape, value, dtype=">f4").tobytes()
    with open(path, "wb") as file:
        file.write("".join(card.ljust(80) for card in cards).ljust(2880).encode("ascii"))
        file.write(data + bytes(-len(data) % 2880))
