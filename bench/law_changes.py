# SPDX-License-Identifier: BSD-3-Clause
"""The laws of bench/laws.py: what is done to an image, how its rows are mapped back, how far they may move."""
from dataclasses import dataclass, replace

import numpy as np

import law_fields
import other_sky
from law_fields import Field, Projection

EDGE = 3.0  # beams from a cut in which rows are not compared


@dataclass(frozen=True)
class Changed:
    """A changed field, and how its rows are told from those of the field."""

    field: Field
    back: object = staticmethod(lambda x, y: (x, y))  # places in the base's pixels
    factor: float = 1.0  # of fluxes
    base: Field = None  # where it is not the image itself
    keep: object = staticmethod(lambda x, y: np.full(x.shape, True))  # places, in the base's pixels, that are compared
    options: tuple = ()
    base_options: tuple = ()


@dataclass(frozen=True)
class Law:
    name: str
    change: object  # of a Search and a random generator
    total: float  # errors that a row may move by
    place: float = None  # the same as the total where not given
    rows: int = 0  # rows above S/N 7 that may come or go
    resampled: bool = False


# Changes of the pixels' order


def turned(matrix, order):
    """A change of axes that keeps every pixel.   matrix: of places;   order: of the array"""
    matrix = np.array(matrix)

    def change(search, _):
        field = search.field
        ny, nx = field.image.shape
        corners = np.array([[0, 0], [nx - 1, ny - 1]]) @ matrix.T
        shift = -corners.min(axis=0)

        def back(x, y):
            return np.linalg.inv(matrix) @ [x - shift[0], y - shift[1]]

        return Changed(field.with_image(order(field.image), matrix @ field.beam @ matrix.T), back)

    return change


def framed(width):
    def change(search, _):
        image = np.pad(search.field.image, width, constant_values=np.nan)
        return Changed(search.field.with_image(image), lambda x, y: (x - width, y - width))

    return change


def away_from(field, left, low, right, high):
    """Whether a place is `EDGE` beams from the cuts, which are where the numbers are not those of the image."""
    ny, nx = field.image.shape
    far = EDGE * field.major()

    def keep(x, y):
        return ((x >= left + far) | (left == 0)) & ((y >= low + far) | (low == 0)) & ((x <= right - far) | (right == nx)) & (
            (y <= high - far) | (high == ny))

    return keep


def cropped(left, low):
    def change(search, _):
        field = search.field
        ny, nx = field.image.shape
        return Changed(field.with_image(field.image[low:, left:]), lambda x, y: (x + left, y + low),
                       keep=away_from(field, left, low, nx, ny))

    return change


# Changes of the pixels' values


def times(factor):
    return lambda search, _: Changed(search.field.with_image(search.field.image * np.float32(factor)), factor=factor)


def negative(search, _):
    """Sources become holes, which --negative finds; the background takes sources to be positive, so it is not the same."""
    both = ("--negative",)
    return Changed(search.field.with_image(-search.field.image), factor=-1.0, options=both, base_options=both)


def plus(levels):
    return lambda search, _: Changed(search.field.with_image(search.field.image + np.float32(levels * search.field.rms())))


def noisier(part):
    def change(search, rng):
        image = search.field.image
        return Changed(search.field.with_image(image + part * search.field.rms() * rng.standard_normal(image.shape)))

    return change


def one_more(snr):
    """A point in the place that is farthest from all rows, the border and blank pixels."""

    def change(search, rng):
        field, rows = search.field, search.run(search.field)
        ny, nx = field.image.shape
        margin = 6 * field.major()
        x, y = rng.uniform(margin, nx - 1 - margin, 400), rng.uniform(margin, ny - 1 - margin, 400)
        blank = np.array([~np.isfinite(field.image[int(b - margin) : int(b + margin) + 2, int(a - margin) : int(a + margin) + 2]).all()
                          for a, b in zip(x, y)])
        apart = np.hypot(x[:, None] - rows["Xposn"], y[:, None] - rows["Yposn"]).min(axis=1, initial=np.hypot(nx, ny))
        best = np.argmax(np.where(blank, -1, apart))
        image = field.image.astype(float)
        other_sky.add_gaussian(image, x[best], y[best], snr * field.rms(), field.beam)
        far = 4 * field.major()
        return Changed(field.with_image(image), keep=lambda a, b: np.hypot(a - x[best], b - y[best]) > far)

    return change


# Changes of the grid


def middle_of(field, ny, nx):
    """The field's middle, at most ny x nx pixels of it."""
    y, x = (max(0, (have - most) // 2) for have, most in zip(field.image.shape, (ny, nx)))
    return field.with_image(field.image[y : y + ny, x : x + nx])


def regridded(matrix_of, most=1000):
    """Pixels at other places; the beam changes with them.   matrix_of(field, rng): from the field's places to the new ones"""

    def change(search, rng):
        matrix = matrix_of(search.field, rng)
        sizes = np.abs(matrix).sum(axis=1)  # of the new image, in sides of the old
        side = int(most / max(sizes.max(), 1e-9))
        base = middle_of(search.field, side, side)
        ny, nx = base.image.shape
        corners = np.array([[0, 0], [nx - 1, 0], [0, ny - 1], [nx - 1, ny - 1]]) @ matrix.T
        shift = -corners.min(axis=0)
        width, height = np.ceil(np.ptp(corners, axis=0)).astype(int) + 1
        inverse = np.linalg.inv(matrix)

        def back(x, y):
            return np.tensordot(inverse, np.array([x - shift[0], y - shift[1]]), 1)

        yy, xx = np.mgrid[0:height, 0:width].astype(float)
        image = law_fields.sampled(base.image, *back(xx, yy))
        scale = base.scale / np.sqrt(np.abs(np.linalg.det(matrix)))
        inner = away_from(base, 1e-9, 1e-9, nx - 1e-9, ny - 1e-9)
        return Changed(replace(base.with_image(image, matrix @ base.beam @ matrix.T), scale=scale), back, base=base, keep=inner)

    return change


def root_of(matrix, power):
    values, axes = np.linalg.eigh(matrix)
    return axes @ np.diag(values**power) @ axes.T


def with_beam(ratio, minor):
    """The matrix that makes the beam one of this axis ratio, by a random angle."""

    def matrix_of(field, rng):
        wanted = law_fields.beam_matrix(ratio * minor, minor, rng.uniform(0, 180))
        return root_of(wanted, 0.5) @ root_of(field.beam, -0.5)

    return matrix_of


def scaled_to(minor):
    return lambda field, _: np.eye(2) * minor / field.minor()


def quarter_angle(_, rng):
    t = rng.uniform(30, 60) * np.pi / 180
    return np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])


def projected(word):
    """The sky at declination 50, in SIN about the image's middle and in another projection."""

    def change(search, _):
        base = middle_of(search.field, 700, 700)
        first = base.sky(50.0)
        base = replace(base, projection=first)
        ny, nx = base.image.shape
        lat = 20.0 if word == "ZEA" else 50.0
        second = Projection(word, 150.0, lat, base.scale, (0.0, 0.0))
        rim = np.linspace(0, 1, 33)
        x, y = np.concatenate([(rim * (nx - 1), rim * 0), (rim * (nx - 1), rim * 0 + ny - 1), (rim * 0, rim * (ny - 1)),
                               (rim * 0 + nx - 1, rim * (ny - 1))], axis=1)
        x, y = second.pixel(*first.world(x, y))
        second = replace(second, crpix=(-np.floor(x.min()), -np.floor(y.min())))
        yy, xx = np.mgrid[0 : int(np.ptp(y)) + 2, 0 : int(np.ptp(x)) + 2].astype(float)

        def back(x, y):
            return first.pixel(*second.world(x, y))

        image = law_fields.sampled(base.image, *back(xx, yy))
        inner = away_from(base, 1e-9, 1e-9, nx - 1e-9, ny - 1e-9)
        return Changed(replace(base.with_image(image), projection=second), back, base=base, keep=inner)

    return change


def under(*options):
    return lambda search, _: Changed(search.field, options=options)


LAWS = [
    Law("mirror x", turned([[-1, 0], [0, 1]], lambda image: image[:, ::-1]), 1e-6),
    Law("mirror y", turned([[1, 0], [0, -1]], lambda image: image[::-1]), 1e-6),
    Law("turn 180", turned([[-1, 0], [0, -1]], lambda image: image[::-1, ::-1]), 1e-6),
    Law("turn 90", turned([[0, 1], [-1, 0]], np.rot90), 1e-6),
    Law("times 1000", times(1000), 1e-3),
    Law("times 2^20", times(2.0**20), 1e-6),
    Law("plus 3 rms", plus(3), 0.01),
    *(Law(f"frame {n}", framed(n), 0.5) for n in (1, 7, 16, 37, 48)),
    Law("crop 16,0", cropped(16, 0), 0.5),
    Law("crop 37,48", cropped(37, 48), 0.5),
    Law("one more", one_more(40), 0.5),
    Law("noise 1e-3", noisier(1e-3), 0.1),
    Law("1 thread", under("--threads", "1"), 0.0),
    Law("bands", lambda search, rng: Changed(search.field, options=("--host-memory", search.least_memory())), 0.0),
    Law("negative", negative, 0.5, resampled=True),
    *(Law(f"beam {r}:1 of {m}", regridded(with_beam(r, m)), 0.5, resampled=True)
      for r, m in ((1, 3), (2, 2), (3, 3), (6, 3), (8, 4), (2, 12))),
    *(Law(f"beam to {m} px", regridded(scaled_to(m)), 0.5, resampled=True) for m in (3, 10, 20, 40)),
    Law("turn 30-60", regridded(quarter_angle), 0.5, resampled=True),
    Law("CAR at 50", projected("CAR"), 0.5, resampled=True),
    Law("ZEA from 20", projected("ZEA"), 0.5, resampled=True),
]
