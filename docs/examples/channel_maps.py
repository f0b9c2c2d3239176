#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes galaxy.fits, 60 channel maps of a turning disc on a weak continuum. Needs NumPy alone.

Pixels of 2", a beam of 9" x 7", channels of 5 km/s at 900 to 1195 km/s, noise of 1 mJy/beam; the line is in channels 10 to 49.
"""
import numpy as np

SIZE, CHANNELS, CELL, NOISE = 128, 60, 2.0, 1e-3
rng = np.random.default_rng(4)
y, x = (np.mgrid[:SIZE, :SIZE] - SIZE / 2) * CELL
t = np.radians(40)
along, across = -x * np.sin(t) + y * np.cos(t), -x * np.cos(t) - y * np.sin(t)
kernel = np.fft.rfft2(np.fft.ifftshift(np.exp(-4 * np.log(2) * ((y / 9) ** 2 + (x / 7) ** 2))))


def smooth(image):
    return np.fft.irfft2(np.fft.rfft2(image) * kernel, image.shape)


r = np.hypot(along, across / np.cos(np.radians(55)))
speed = 75 * np.tanh(r / 15) * np.divide(along, r, out=np.zeros_like(r), where=r > 0)
disc = 1e-3 * np.exp(-r / 22)
cube = []
for velocity in 900 + 5 * np.arange(CHANNELS):
    line = disc * np.exp(-((velocity - 1045 - speed) ** 2) / (2 * 8.0 ** 2))
    noise = smooth(rng.normal(size=x.shape))
    cube.append(smooth(line + 2e-4 * np.exp(-((r / 12) ** 2))) + NOISE * noise / noise.std())
cards = {"SIMPLE": "T", "BITPIX": -32, "NAXIS": 3, "NAXIS1": SIZE, "NAXIS2": SIZE, "NAXIS3": CHANNELS, "CTYPE1": "'RA---SIN'",
         "CTYPE2": "'DEC--SIN'", "CTYPE3": "'VRAD    '", "CUNIT3": "'m/s     '", "CRVAL1": 187.7, "CRVAL2": 12.35, "CRVAL3": 9e5,
         "CRPIX1": SIZE / 2 + 1, "CRPIX2": SIZE / 2 + 1, "CRPIX3": 1, "CDELT1": -CELL / 3600, "CDELT2": CELL / 3600, "CDELT3": 5e3,
         "BUNIT": "'Jy/beam '", "BMAJ": 9 / 3600, "BMIN": 7 / 3600, "BPA": 0.0, "RESTFRQ": 1.42040575e9, "RADESYS": "'ICRS    '"}
text = "".join(f"{key:<8}= {value!s:>20}".ljust(80) for key, value in cards.items()) + "END"
body = np.array(cube, ">f4").tobytes()
with open("galaxy.fits", "wb") as file:
    file.write((text + " " * (-len(text) % 2880)).encode() + body.ljust(-(-len(body) // 2880) * 2880, b"\0"))
