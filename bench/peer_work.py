# SPDX-License-Identifier: BSD-3-Clause
"""The work of `reber bench` as users of other libraries write it: each entry is a function of the image that gives an
image or a dictionary of numbers, to be held against Reber's values of the same row. Where there is more than one usual
way, all are here and the fastest is taken.

    LIBRARIES[name]() -> Library, or raises ImportError where it is not installed
    library.ways(operation) -> [(how, function)], empty where the library has nothing for it
"""
import math

import numpy as np

KAPPA = 3.0
CLIP_BIAS = 0.98485214  # std of clipped Gaussian data over sigma, kappa 3


def rotated_kernel(side):
    """The kernel of `direct` and `fft` rows: an elliptical Gaussian at 30 degrees, cut at 3 sigma."""
    half = side // 2
    sigma = max(1.0, half / 3)
    y, x = np.mgrid[-half : half + 1, -half : half + 1].astype(np.float64)
    c, s = math.cos(math.pi / 6), math.sin(math.pi / 6)
    weights = np.exp(-0.5 * (((c * x + s * y) / sigma) ** 2 + ((c * y - s * x) / (0.6 * sigma)) ** 2))
    return (weights / weights.sum()).astype(np.float32)


def round_factor(taps):
    """One axis of the kernel of `separable` rows."""
    half = taps // 2
    sigma = max(1.0, half / 3)
    factor = np.exp(-0.5 * (np.arange(-half, half + 1) / sigma) ** 2)
    return (factor / factor.sum()).astype(np.float32)


def samples(image, values):
    """Pixels at the places of Reber's values, "y,x"."""
    places = [place for place in values if "," in place]
    return {place: float(image[tuple(int(v) for v in place.split(","))]) for place in places}


class Library:
    """What NumPy, CuPy and PyTorch have in common here. xp: the array module; nd: its SciPy-like ndimage."""

    device = False  # where the times are compared: with Reber's first backend, else with its cpu backend

    def prepare(self, operation, image, clip):
        """What is not timed: the level and the labels that a row starts from. clip: Reber's values of that row."""

    def put(self, image):
        return image

    def nothing(self):
        pass

    wait = flush = free = nothing

    def ways(self, operation):
        words = operation.split()
        size = int(words[1].split("x")[0]) if words[0] in ("direct", "separable", "fft") else 0
        table = {
            "direct": lambda: self.direct(rotated_kernel(size)),
            "separable": lambda: self.separable(round_factor(size)),
            "fft": lambda: self.fft(rotated_kernel(size)),
        }
        if size:
            return table[words[0]]()
        named = {
            "median, mean and std": self.statistics,
            "mean and std": self.moments,
            "clip to convergence": self.clip,
            "label 8, 0 sigma (dense)": lambda: self.label_ways(0, 8),
            "label 4, 5 sigma": lambda: self.label_ways(5, 4),
            "label 8, 5 sigma": lambda: self.label_ways(5, 8),
            "label 8, 5 sigma, with map": lambda: self.label_ways(5, 8),
            "measure": self.measure_ways,
            "clip + label + measure": self.chain,
        }
        return named[operation]() if operation in named else []

    def no_way(self, *_):
        return []

    direct = separable = fft = statistics = moments = clip = label_ways = measure_ways = chain = no_way


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


class Torch(Library):
    device = True

    def __init__(self):
        import torch

        if not torch.cuda.is_available():
            raise ImportError("PyTorch has no CUDA device")
        self.torch = torch
        self.version = f"PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}"
        # Full float32, as everything that it is compared with; cuDNN's own choice of algorithm, as by default.
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cuda.matmul.allow_tf32 = False
        self.other = torch.ones(64 << 20, device="cuda")

    def put(self, image):
        return self.torch.from_numpy(np.ascontiguousarray(image)).cuda()

    def wait(self):
        self.torch.cuda.synchronize()

    def flush(self):
        self.other.sum()
        self.wait()

    def free(self):
        self.torch.cuda.empty_cache()

    def conv(self, image, kernel):
        return self.torch.nn.functional.conv2d(image, kernel, padding=tuple(n // 2 for n in kernel.shape[2:]))

    def direct(self, weights):
        # conv2d correlates; these kernels are their own mirror images.
        kernel = self.put(weights)[None, None]
        return [("conv2d", lambda image: self.conv(image[None, None], kernel)[0, 0])]

    def separable(self, factor):
        row, column = self.put(factor)[None, None, None, :], self.put(factor)[None, None, :, None]
        return [("conv2d, twice", lambda image: self.conv(self.conv(image[None, None], row), column)[0, 0])]

    def fft(self, weights):
        kernel, torch = self.put(weights), self.torch

        def work(image):
            shape = [smooth_number(n + k - 1) for n, k in zip(image.shape, kernel.shape)]
            spectrum = torch.fft.rfft2(image, s=shape) * torch.fft.rfft2(kernel, s=shape)
            full = torch.fft.irfft2(spectrum, s=shape)
            y, x = kernel.shape[0] // 2, kernel.shape[1] // 2
            return full[y : y + image.shape[0], x : x + image.shape[1]]

        return [("rfft2, product, irfft2", work)]

    def statistics(self):
        def work(image):
            std, mean = self.torch.std_mean(image, correction=0)
            return {"median": float(image.median()), "mean": float(mean), "std": float(std)}

        return [("median, std_mean", work)]

    def moments(self):
        def work(image):
            std, mean = self.torch.std_mean(image, correction=0)
            return {"mean": float(mean), "std": float(std)}

        return [("std_mean", work)]

    def clip(self):
        def work(image):
            kept = image.ravel()
            while True:
                median = kept.median()
                std, mean = self.torch.std_mean(kept, correction=0)
                good = (kept - median).abs() < KAPPA * std
                count = int(good.sum())
                if count == kept.numel():
                    return {"median": float(median), "mean": float(mean), "std": float(std), "kept": count}
                kept = kept[good]

        return [("median and std_mean of what is left, a loop", work)]


def smooth_number(n):
    """The least product of 2, 3, 5 and 7 that is not below n."""
    while True:
        rest = n
        for prime in (2, 3, 5, 7):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return n
        n += 1


class Opencv(Library):
    def __init__(self):
        import cv2

        self.cv = cv2
        self.version = f"OpenCV {cv2.__version__}"

    def direct(self, weights):
        border = self.cv.BORDER_CONSTANT
        return [("filter2D", lambda image: self.cv.filter2D(image, -1, weights, borderType=border))]

    def separable(self, factor):
        border = self.cv.BORDER_CONSTANT
        return [("sepFilter2D", lambda image: self.cv.sepFilter2D(image, -1, factor, factor, borderType=border))]

    def fft(self, weights):
        return self.direct(weights)  # beyond 11 x 11 by transforms

    def moments(self):
        def work(image):
            mean, std = self.cv.meanStdDev(image)
            return {"mean": float(mean.item()), "std": float(std.item())}

        return [("meanStdDev", work)]

    def prepare(self, operation, image, clip):
        if clip:
            self.level = (clip["median"], clip["std"] / CLIP_BIAS)

    def label_ways(self, level, connectivity):
        def work(image):
            median, rms = self.level
            above = self.cv.compare(image, median + level * rms, self.cv.CMP_GT)
            count, _ = self.cv.connectedComponents(above, connectivity=connectivity)
            return {"islands": count - 1}

        return [("compare, connectedComponents", work)]


class Astropy(Library):
    def __init__(self):
        import astropy
        import astropy.convolution
        import astropy.stats

        self.convolution, self.stats = astropy.convolution, astropy.stats
        self.version = f"astropy {astropy.__version__}"

    def direct(self, weights):
        return [("convolve", lambda image: self.convolution.convolve(image, weights, boundary="fill"))]

    def fft(self, weights):
        call = self.convolution.convolve_fft
        return [("convolve_fft", lambda image: call(image, weights, boundary="fill", allow_huge=True))]

    def clip(self):
        def work(image):
            mean, median, std = self.stats.sigma_clipped_stats(image, sigma=KAPPA, maxiters=None)
            return {"median": float(median), "mean": float(mean), "std": float(std)}

        return [("sigma_clipped_stats", work)]


LIBRARIES = {"cupy": Cupy, "torch": Torch, "scipy": Scipy, "opencv": Opencv, "astropy": Astropy}
