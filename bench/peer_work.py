# SPDX-License-Identifier: BSD-3-Clause
"""The work of `reber bench` as users of other libraries write it: each entry is a function of the image that gives an
image or a dictionary of numbers, to be held against Reber's values of the same row. Where there is more than one usual
way, all are here and the fastest is taken.

    LIBRARIES[name]() -> Library, or raises ImportError where it is not installed
    library.ways(operation) -> [(how, function)], empty where the library has nothing for it
"""
import numpy as np

from peer_arrays import Cupy, Scipy
from peer_library import CLIP_BIAS, KAPPA, Library


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
        each = self.transforms([weights])
        return [("rfft2, product, irfft2", lambda image: each(image)[0])]

    def fft_each(self, kernels):
        return [("rfft2 once, products, irfft2", self.transforms(kernels))]

    def transforms(self, weights):
        """The image convolved with each of some kernels of one shape, its own transform made once."""
        kernels, torch = [self.put(one) for one in weights], self.torch

        def work(image):
            size = kernels[0].shape
            shape = [smooth_number(n + k - 1) for n, k in zip(image.shape, size)]
            spectrum, y, x = torch.fft.rfft2(image, s=shape), size[0] // 2, size[1] // 2
            full = (torch.fft.irfft2(spectrum * torch.fft.rfft2(one, s=shape), s=shape) for one in kernels)
            return [one[y : y + image.shape[0], x : x + image.shape[1]] for one in full]

        return work

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
