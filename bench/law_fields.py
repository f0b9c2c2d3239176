# SPDX-License-Identifier: BSD-3-Clause
"""Images that the laws of bench/laws.py change: their pixels, their beam in pixels, and the skies that bench makes."""
import os
import subprocess
from dataclasses import dataclass, replace

import numpy as np

import other_sky
import strange_sky
import stretched_sky

RADIANS = np.pi / 180


beam_matrix = other_sky.covariance  # squared FWHMs in pixels, (x, y); the angle in degrees from y through -x


@dataclass(frozen=True)
class Projection:
    """SIN and ZEA about a place, CAR about a meridian of the equator; degrees a pixel. Longitude falls with x."""

    word: str
    lon: float
    lat: float
    scale: float
    crpix: tuple  # of the first pixel's centre as 0

    def world(self, x, y):
        u, v = -(x - self.crpix[0]) * self.scale * RADIANS, (y - self.crpix[1]) * self.scale * RADIANS
        if self.word == "CAR":
            return self.lon * RADIANS + u, v
        r = np.hypot(u, v)
        with np.errstate(invalid="ignore"):
            away = np.arcsin(r) if self.word == "SIN" else 2 * np.arcsin(r / 2)
        turn, c, s = np.arctan2(u, v), np.cos(away), np.sin(away)
        lat0 = self.lat * RADIANS
        lat = np.arcsin(c * np.sin(lat0) + s * np.cos(lat0) * np.cos(turn))
        return self.lon * RADIANS + np.arctan2(s * np.sin(turn), c * np.cos(lat0) - s * np.sin(lat0) * np.cos(turn)), lat

    def pixel(self, lon, lat):
        d, lat0 = (lon - self.lon * RADIANS + np.pi) % (2 * np.pi) - np.pi, self.lat * RADIANS
        if self.word == "CAR":
            u, v = d, lat
        else:
            u = np.cos(lat) * np.sin(d)
            v = np.sin(lat) * np.cos(lat0) - np.cos(lat) * np.sin(lat0) * np.cos(d)
            if self.word == "ZEA":
                c = np.sin(lat) * np.sin(lat0) + np.cos(lat) * np.cos(lat0) * np.cos(d)
                stretch = np.sqrt(2 / (1 + c))
                u, v = u * stretch, v * stretch
        return self.crpix[0] - u / (self.scale * RADIANS), self.crpix[1] + v / (self.scale * RADIANS)


@dataclass(frozen=True, eq=False)
class Field:
    image: np.ndarray  # float32, rows and columns
    beam: np.ndarray  # squared FWHMs in pixels where the projection has no distortion
    scale: float = 2.0 / 3600  # degrees a pixel
    projection: Projection = None  # None: SIN about the image's middle

    def minor(self):
        return np.sqrt(np.linalg.eigvalsh(self.beam)[0])

    def major(self):
        return np.sqrt(np.linalg.eigvalsh(self.beam)[-1])

    def rms(self):
        values = self.image[np.isfinite(self.image)]
        return 1.4826 * np.median(np.abs(values - np.median(values)))

    def sky(self, lat=0.0):
        ny, nx = self.image.shape
        return self.projection or Projection("SIN", 150.0, lat, self.scale, (nx / 2, ny / 2))

    def with_image(self, image, beam=None):
        return replace(self, image=np.ascontiguousarray(image, np.float32), beam=self.beam if beam is None else beam)

    def write(self, path):
        sky, (values, axes) = self.sky(), np.linalg.eigh(self.beam)
        angle = np.degrees(np.arctan2(-axes[0, 1], axes[1, 1]))
        lat = 0.0 if sky.word == "CAR" else sky.lat
        cards = {
            "SIMPLE": True, "BITPIX": -32, "NAXIS": 2, "NAXIS1": self.image.shape[1], "NAXIS2": self.image.shape[0],
            "CRPIX1": sky.crpix[0] + 1, "CRPIX2": sky.crpix[1] + 1, "CRVAL1": sky.lon, "CRVAL2": lat, "CDELT1": -sky.scale,
            "CDELT2": sky.scale, "BMAJ": np.sqrt(values[1]) * sky.scale, "BMIN": np.sqrt(values[0]) * sky.scale,
            "BPA": (angle + 90) % 180 - 90, "CTYPE1": "RA---" + sky.word, "CTYPE2": "DEC--" + sky.word, "BUNIT": "JY/BEAM",
        }
        text = ""
        for key, value in cards.items():
            cell = "T" if value is True else f"'{value:8}'" if isinstance(value, str) else f"{value:.15g}"
            text += f"{key:8}= {cell:>20}".ljust(80)
        text += "END".ljust(80)
        with open(path, "wb") as file:
            file.write(text.ljust(-(-len(text) // 2880) * 2880).encode())
            data = self.image.astype(">f4").tobytes()
            file.write(data + b"\0" * (-len(data) % 2880))


def pixels_of(path):
    """The first plane of a FITS image of floats, and the cards of its header."""
    with open(path, "rb") as file:
        data = file.read()
    cards, at = {}, 0
    while not data[at : at + 80].startswith(b"END     "):
        cards[data[at : at + 8].decode().strip()] = data[at + 10 : at + 80].decode().split("/")[0].strip(" '")
        at += 80
    if cards["BITPIX"] not in ("-32", "-64"):
        raise SystemExit(f"{path}: an image of floats is expected")
    shape = int(cards["NAXIS2"]), int(cards["NAXIS1"])
    kind = ">f4" if cards["BITPIX"] == "-32" else ">f8"
    return np.frombuffer(data, kind, shape[0] * shape[1], (at // 2880 + 1) * 2880).reshape(shape), cards


def read_field(path):
    """An image with square pixels and a beam, as a projection about its middle."""
    image, cards = pixels_of(path)
    if "BMAJ" not in cards:
        raise SystemExit(f"{path}: an image with a beam is expected")
    step, scale = float(cards.get("CDELT1", cards.get("CD1_1", 0))), abs(float(cards.get("CDELT2", cards.get("CD2_2", 0))))
    beam = beam_matrix(float(cards["BMAJ"]) / scale, float(cards["BMIN"]) / scale, float(cards.get("BPA", 0)))
    return Field(np.ascontiguousarray(image[:, ::-1] if step > 0 else image, np.float32), beam, scale)


def sampled(image, x, y, reach=5):
    """Values at places between the pixels, by a sinc in a window of `reach` pixels; NaN where one of these is blank."""
    ny, nx = image.shape
    column, row = np.floor(x).astype(int), np.floor(y).astype(int)
    inside = (column >= 0) & (column < nx - 1) & (row >= 0) & (row < ny - 1)
    column, row, x, y = column[inside], row[inside], x[inside], y[inside]
    lost = np.pad(~np.isfinite(image), reach).ravel()
    known = np.where(lost, 0, np.pad(image.astype(np.float64), reach).ravel())
    holed, steps = lost.any(), range(1 - reach, reach + 1)
    first = (row + reach) * (nx + 2 * reach) + column + reach

    def weights_of(place, whole, most):
        """By step; and their sum over the pixels that the image has."""
        taps = [np.sinc(d) * np.sinc(d / reach) * (np.abs(d) < reach) for d in (place - whole - k for k in steps)]
        return taps, sum(w * ((whole + k >= 0) & (whole + k < most)) for k, w in zip(steps, taps))

    (across, width), (down, height) = weights_of(x, column, nx), weights_of(y, row, ny)
    total, blank = np.zeros(x.shape), width * height < 0.5
    for j, of_row in zip(steps, down):
        line = np.zeros(x.shape)
        for i, weight in zip(steps, across):
            at = first + (j * (nx + 2 * reach) + i)
            line += weight * known[at]
            if holed:
                blank |= lost[at] & (np.abs(weight * of_row) > 1e-3)
        total += of_row * line
    out = np.full(inside.shape, np.nan, np.float32)
    out[inside] = np.where(blank, np.nan, total / np.where(blank, 1, width * height))
    return out


def random_field(seed, size=None):
    """A small sky of any make: beam, noise, a rim, a level, points, Gaussians and emission are drawn."""
    rng = np.random.default_rng([39, seed])
    minor = rng.uniform(3, 7)
    beam = other_sky.take_beam(minor * rng.uniform(1, 2.2), minor, rng.uniform(0, 180))
    n = size or int(rng.integers(224, 321))
    sky = other_sky.Sky(n, int(rng.integers(1 << 30)), False)
    yy, xx = np.mgrid[0:n, 0:n] / (n - 1) - 0.5
    noise = np.ones((n, n))
    if rng.uniform() < 0.5:
        noise += rng.uniform(0, 6) * ((xx - rng.uniform(-0.3, 0.3)) ** 2 + (yy - rng.uniform(-0.3, 0.3)) ** 2)
    sky.image *= noise
    if rng.uniform() < 0.3:
        sky.image += other_sky.RMS * rng.uniform(0.5, 3) * np.sin(2 * np.pi * (xx + rng.uniform() * yy + rng.uniform()))
    if rng.uniform() < 0.3:
        model = (np.hypot(xx - rng.uniform(-0.2, 0.2), yy - rng.uniform(-0.2, 0.2)) * n < rng.uniform(8, 25)).astype(float)
        sky.image += other_sky.smoothed(model) * other_sky.RMS * rng.uniform(2, 10) / other_sky.AREA
    apart = 4 * other_sky.MAJOR
    for x, y in sky.places(int(n * n / max(3500, 2 * apart**2)), apart, 2):
        peak = other_sky.RMS * noise[round(y), round(x)] * 5 * 10 ** rng.uniform(0, 1.8)
        wide = beam if rng.uniform() < 0.75 else beam + beam_matrix(*(other_sky.MAJOR * rng.uniform(0.3, 2, 2)), rng.uniform(0, 180))
        sky.add("source", x, y, peak, wide)
    if rng.uniform() < 0.25:
        sky.image[np.hypot(xx, yy) > rng.uniform(0.4, 0.5)] = np.nan
    return Field(sky.image.astype(np.float32), beam, 10 ** rng.uniform(0, 1.8) / 3600)


def named_field(name, reber, folder):
    """A sky of bench: science:SEED, other:KIND:SEED, strange:KIND:SEED or stretched:RATIO:MINOR:SEED."""
    maker, *words = name.split(":")
    path, seed = os.path.join(folder, name.replace(":", "_")), int(words[-1])
    os.makedirs(path, exist_ok=True)
    if maker == "science":
        done = [reber, "simulate", f"{path}/sky.fits", "--size", "1024", "--seed", str(seed), "--sources", "312", "--extended", "6",
                "--pixel", "2", "--beam", "10,10,0", "--rms", "20", "--background", "10", "--overwrite", "--backend", "cpu", "-q"]  # as science.py
        subprocess.run(done, check=True)
    elif maker == "other":
        other_sky.take_beam(8, 5, 37)
        other_sky.make_sky(path, words[0], 1024, 1000 * seed + len(words[0]), False, True)
    elif maker == "strange":
        strange_sky.take_beam(words[0])
        strange_sky.make_sky(path, words[0], 1000 * seed + len(words[0]), False)
    else:
        image, _ = stretched_sky.make(float(words[0]), float(words[1]), seed, False)
        other_sky.write_fits(f"{path}/sky.fits", image)
    return read_field(f"{path}/sky.fits")
