# SPDX-License-Identifier: BSD-3-Clause
"""The rows of `reber bench` by NumPy with SciPy, and by CuPy."""
import numpy as np

from peer_library import CLIP_BIAS, KAPPA, Library


class ArrayLibrary(Library):
    """NumPy with SciPy, or CuPy: one code for both."""

    def __init__(self, xp, nd, signal):
        self.xp, self.nd, self.signal = xp, nd, signal
        self.level = None  # median, rms and labels that the later rows start from
        self.labels = None

    def direct(self, weights):
        kernel = self.xp.asarray(weights)
        return [("ndimage.convolve", lambda image: self.nd.convolve(image, kernel, mode="constant"))]

    def separable(self, factor):
        kernel = self.xp.asarray(factor)

        def both(image):
            rows = self.nd.convolve1d(image, kernel, axis=1, mode="constant")
            return self.nd.convolve1d(rows, kernel, axis=0, mode="constant")

        return [("ndimage.convolve1d, twice", both)]

    def fft(self, weights):
        kernel = self.xp.asarray(weights)
        return [
            ("signal.oaconvolve", lambda image: self.signal.oaconvolve(image, kernel, mode="same")),
            ("signal.fftconvolve", lambda image: self.signal.fftconvolve(image, kernel, mode="same")),
        ]

    def statistics(self):
        def work(image):
            return {
                "median": float(self.xp.median(image)),
                "mean": float(image.mean()),
                "std": float(image.std()),
            }

        return [("median, mean, std", work)]

    def moments(self):
        return [("mean, std", lambda image: {"mean": float(image.mean()), "std": float(image.std())})]

    def clipped(self, image):
        """Reber's rule: the limits are about the median, until a round removes nothing."""
        kept, rounds = image.ravel(), 0
        while True:
            rounds += 1
            median, std = self.xp.median(kept), kept.std()
            good = self.xp.abs(kept - median) < KAPPA * std
            count = int(good.sum())
            if count == kept.size:
                return float(median), float(kept.mean()), float(std), count, rounds
            kept = kept[good]

    def clip(self):
        def work(image):
            median, mean, std, kept, _ = self.clipped(image)
            self.level = (median, std / CLIP_BIAS)
            return {"median": median, "mean": mean, "std": std, "kept": kept}

        return [("median and std of what is left, a loop", work)]

    def prepare(self, operation, image, clip):
        if clip:
            self.level = (clip["median"], clip["std"] / CLIP_BIAS)
        if operation == "measure":
            self.labels, _ = self.labelled(image, 5, 8)
            self.wait()

    def labelled(self, image, level, connectivity):
        median, rms = self.level
        structure = self.xp.ones((3, 3), dtype=int) if connectivity == 8 else None
        return self.nd.label(image > np.float32(median + level * rms), structure=structure)

    def label_ways(self, level, connectivity):
        def work(image):
            self.labels, count = self.labelled(image, level, connectivity)
            return {"islands": int(count)}

        return [("ndimage.label", work)]

    def sums_by_bincount(self, image):
        """What a user writes who knows that few pixels are above the threshold: sums over these alone."""
        xp, (median, _) = self.xp, self.level
        y, x = xp.nonzero(self.labels)
        label, flux = self.labels[y, x], image[y, x].astype(xp.float64) - median
        count = int(label.max()) + 1 if label.size else 1

        def total(weights):
            return xp.bincount(label, weights, minlength=count)[1:]

        sums = [xp.bincount(label, minlength=count)[1:], total(flux)]
        sums += [total(flux * w) for w in (x, y, x * x, x * y, y * y)]
        peak = xp.full(count, -xp.inf)
        xp.maximum.at(peak, label, flux)
        for axis in (y, x):
            low, high = xp.full(count, 1 << 30, dtype=xp.int64), xp.full(count, -1, dtype=xp.int64)
            xp.minimum.at(low, label, axis)
            xp.maximum.at(high, label, axis)
        self.wait()
        return {"islands": count - 1, "pixels": float(sums[0].sum()), "flux": float(sums[1].sum())}

    def sums_by_ndimage(self, image):
        """The functions for it: flux, centroid, second moments' input, peak and its place."""
        xp, nd, (median, _) = self.xp, self.nd, self.level
        flux = image - np.float32(median)
        index = xp.arange(1, int(self.labels.max()) + 1)
        pixels = nd.sum_labels(xp.ones_like(flux), self.labels, index)
        sums = nd.sum_labels(flux, self.labels, index)
        nd.center_of_mass(flux, self.labels, index)
        nd.variance(flux, self.labels, index)
        nd.maximum(flux, self.labels, index)
        nd.maximum_position(flux, self.labels, index)
        self.wait()
        return {"islands": int(index.size), "pixels": float(pixels.sum()), "flux": float(sums.sum())}

    def measure_ways(self):
        return [
            ("sums over the islands' pixels by bincount", self.sums_by_bincount),
            ("ndimage.sum_labels, center_of_mass, variance, maximum, maximum_position", self.sums_by_ndimage),
        ]

    def chain(self):
        def through(image, sums):
            median, _, std, _, _ = self.clipped(image)
            self.level = (median, std / CLIP_BIAS)
            self.labels, _ = self.labelled(image, 5, 8)
            return sums(image)

        return [("the clip, ndimage.label, bincount", lambda image: through(image, self.sums_by_bincount))]


class Scipy(ArrayLibrary):
    def __init__(self):
        import scipy
        import scipy.ndimage
        import scipy.signal

        super().__init__(np, scipy.ndimage, scipy.signal)
        self.version = f"SciPy {scipy.__version__}, NumPy {np.__version__}"


class Cupy(ArrayLibrary):
    device = True

    def __init__(self):
        import cupy
        import cupyx.scipy.ndimage
        import cupyx.scipy.signal

        super().__init__(cupy, cupyx.scipy.ndimage, cupyx.scipy.signal)
        cupy.cuda.runtime.getDevice()
        self.version = f"CuPy {cupy.__version__}"
        self.other = cupy.ones(64 << 20, dtype=cupy.float32)

    def put(self, image):
        return self.xp.asarray(image)

    def wait(self):
        self.xp.cuda.Device().synchronize()

    def flush(self):
        self.other.sum()
        self.wait()

    def free(self):
        self.xp.get_default_memory_pool().free_all_blocks()
