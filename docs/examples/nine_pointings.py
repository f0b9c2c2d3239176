#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes p1.fits to p9.fits, nine pointings of one simulated sky, and truth.csv. Needs NumPy alone.

Each field has a primary beam of 0.6 degrees at 1400 MHz, noise of 20 uJy/beam and a beam of its own.
"""
import numpy as np

SIZE, CELL, MHZ, FWHM, NOISE = 384, 6.0, 1400.0, 0.6, 20e-6
RA, DEC, STEP = 150.0, 2.0, 0.3
rng = np.random.default_rng(1)


def offsets(ra, dec, ra0, dec0):
    """Of the SIN projection, degrees."""
    a, d, d0 = np.radians(ra - ra0), np.radians(dec), np.radians(dec0)
    return np.degrees(np.cos(d) * np.sin(a)), np.degrees(np.sin(d) * np.cos(d0) - np.cos(d) * np.sin(d0) * np.cos(a))


def shape(x, y, beam):
    """A Gaussian of these FWHMs and position angle, peak 1. x to the east, y to the north."""
    major, minor, angle = beam
    t = np.radians(angle)
    along, across = x * np.sin(t) + y * np.cos(t), x * np.cos(t) - y * np.sin(t)
    return np.exp(-4 * np.log(2) * ((along / major) ** 2 + (across / minor) ** 2))


def write(name, pixels, ra, dec, beam):
    cards = {"SIMPLE": "T", "BITPIX": -32, "NAXIS": 2, "NAXIS1": SIZE, "NAXIS2": SIZE, "CTYPE1": "'RA---SIN'", "CTYPE2": "'DEC--SIN'",
             "CRVAL1": ra, "CRVAL2": dec, "CRPIX1": SIZE / 2 + 1, "CRPIX2": SIZE / 2 + 1, "CDELT1": -CELL / 3600,
             "CDELT2": CELL / 3600, "BUNIT": "'Jy/beam '", "BMAJ": beam[0] / 3600, "BMIN": beam[1] / 3600, "BPA": beam[2],
             "RESTFRQ": MHZ * 1e6, "RADESYS": "'ICRS    '"}
    text = "".join(f"{key:<8}= {value!s:>20}".ljust(80) for key, value in cards.items()) + "END"
    with open(name, "wb") as file:
        file.write((text + " " * (-len(text) % 2880)).encode())
        file.write(pixels.astype(">f4").tobytes().ljust(-(-pixels.size * 4 // 2880) * 2880, b"\0"))


flux = np.sort(60e-6 * (1 - rng.random(500)) ** (-1 / 1.2))[::-1].clip(max=0.05)
ra = RA + rng.uniform(-0.62, 0.62, flux.size) / np.cos(np.radians(DEC))
dec = DEC + rng.uniform(-0.62, 0.62, flux.size)
np.savetxt("truth.csv", np.transpose([ra, dec, flux]), "%.7f,%.7f,%.9f", header="RA,DEC,Total_flux", comments="", delimiter=",")
y, x = (np.mgrid[:SIZE, :SIZE] - SIZE / 2) * CELL
x = -x
for k in range(9):
    ra0, dec0 = RA + STEP * (1 - k % 3), DEC + STEP * (k // 3 - 1)
    beam = (18 + 2 * rng.random(), 15 + 2 * rng.random(), round(rng.uniform(0, 180), 3))
    kernel = np.fft.rfft2(np.fft.ifftshift(shape(x, y, beam)))
    noise = np.fft.irfft2(np.fft.rfft2(rng.normal(size=x.shape)) * kernel, x.shape)
    sky = np.zeros_like(x)
    for one, dx, dy in zip(flux, *(3600 * part for part in offsets(ra, dec, ra0, dec0))):
        i, j = int(round(SIZE / 2 + dy / CELL)), int(round(SIZE / 2 - dx / CELL))
        box = slice(max(i - 12, 0), max(i + 13, 0)), slice(max(j - 12, 0), max(j + 13, 0))
        sky[box] += one * shape(x[box] - dx, y[box] - dy, beam)
    primary = np.exp(-4 * np.log(2) * (x ** 2 + y ** 2) / (3600 * FWHM) ** 2)
    write(f"p{k + 1}.fits", sky * primary + NOISE * noise / noise.std(), ra0, dec0, beam)
