# SPDX-License-Identifier: BSD-3-Clause
"""What the other libraries of the benchmark have in common: the kernels of the rows, and which function does a row's work."""
import math

import numpy as np

KAPPA = 3.0
CLIP_BIAS = 0.98485214  # std of clipped Gaussian data over sigma, kappa 3
FIVE_TAPS = (9, 17, 33, 65, 129)  # of the separable row of five kernels
FIVE_ANGLES = (10, 30, 50, 70, 80)  # of the FFT row of five kernels, degrees


def rotated_kernel(side, degrees=30.0):
    """The kernel of `direct` and `fft` rows: an elliptical Gaussian, cut at 3 sigma."""
    half = side // 2
    sigma = max(1.0, half / 3)
    y, x = np.mgrid[-half : half + 1, -half : half + 1].astype(np.float64)
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    weights = np.exp(-0.5 * (((c * x + s * y) / sigma) ** 2 + ((c * y - s * x) / (0.6 * sigma)) ** 2))
    return (weights / weights.sum()).astype(np.float32)


def round_factor(taps):
    """One axis of the kernel of `separable` rows."""
    half = taps // 2
    sigma = max(1.0, half / 3)
    factor = np.exp(-0.5 * (np.arange(-half, half + 1) / sigma) ** 2)
    return (factor / factor.sum()).astype(np.float32)


def samples(result, values):
    """Pixels at the places of Reber's values, "y,x"; of several images, row y is the one's whose turn it is."""
    images = result if isinstance(result, list) else [result]
    places = {place: tuple(int(v) for v in place.split(",")) for place in values if "," in place}
    return {place: float(images[y % len(images)][y, x]) for place, (y, x) in places.items()}


def in_turn(ways_of_each):
    """Ways to do several things to one image, from the ways to do each: a list of what each gives."""

    def all_of(functions):
        return lambda image: [function(image) for function in functions]

    return [(f"{same[0][0]}, in turn", all_of([function for _, function in same])) for same in zip(*ways_of_each)]


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
        if operation == "separable 9 to 129, five":
            return in_turn([self.separable(round_factor(taps)) for taps in FIVE_TAPS])
        if operation == "fft 101x101, five":
            return self.fft_each([rotated_kernel(101, degrees) for degrees in FIVE_ANGLES])
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

    def fft_each(self, kernels):
        return in_turn([self.fft(weights) for weights in kernels])

    def no_way(self, *_):
        return []

    direct = separable = fft = statistics = moments = clip = label_ways = measure_ways = chain = no_way
