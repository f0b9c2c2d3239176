# SPDX-License-Identifier: BSD-3-Clause
"""A small sky whose sources are known: a close pair, a single one, one below the threshold, and smooth noise.

    pair_sky.py FILE [FREQUENCY]     Hz, of the header; none where it is left out
"""
import math
import random
import struct
import sys

SIDE, FWHM = 160, 6.0
# x, y (0-based pixels), peak in units of the noise
SOURCES = [(60, 60, 60), (67, 60, 45), (120, 60, 40), (60, 120, 4.6), (121, 121, 30)]


def card(key, value):
    text = f"'{value:<8}'" if isinstance(value, str) else ("T" if value is True else repr(value)).rjust(20)
    return f"{key:<8}= {text}".ljust(80)


def smooth(rows, kernel):
    half = len(kernel) // 2
    return [[sum(kernel[k + half] * row[(i + k) % SIDE] for k in range(-half, half + 1)) for i in range(SIDE)]
            for row in rows]


def main(path, frequency=None):
    numbers = random.Random(5)
    sigma = FWHM / math.sqrt(8 * math.log(2))
    kernel = [math.exp(-0.5 * (k / sigma) ** 2) for k in range(-9, 10)]
    noise = [[numbers.gauss(0, 1) for _ in range(SIDE)] for _ in range(SIDE)]
    noise = smooth(noise, kernel)
    noise = list(map(list, zip(*smooth(list(map(list, zip(*noise))), kernel))))
    scale = 1 / math.sqrt(sum(v * v for row in noise for v in row) / SIDE**2)
    pixels = []
    for y in range(SIDE):
        for x in range(SIDE):
            value = noise[y][x] * scale
            for sx, sy, peak in SOURCES:
                value += peak * math.exp(-4 * math.log(2) * ((x - sx) ** 2 + (y - sy) ** 2) / FWHM**2)
            pixels.append(1e-3 * value)
    cards = [card("SIMPLE", True), card("BITPIX", -32), card("NAXIS", 2), card("NAXIS1", SIDE), card("NAXIS2", SIDE),
             card("CTYPE1", "RA---SIN"), card("CRPIX1", 81.0), card("CRVAL1", 187.5), card("CDELT1", -2 / 3600),
             card("CTYPE2", "DEC--SIN"), card("CRPIX2", 81.0), card("CRVAL2", 12.0), card("CDELT2", 2 / 3600),
             card("RADESYS", "ICRS"), card("BUNIT", "Jy/beam"), card("BMAJ", 2 * FWHM / 3600),
             card("BMIN", 2 * FWHM / 3600), card("BPA", 0.0)]
    cards += ([card("RESTFRQ", float(frequency))] if frequency else []) + ["END".ljust(80)]
    header, data = "".join(cards), struct.pack(f">{len(pixels)}f", *pixels)
    with open(path, "wb") as file:
        file.write(header.ljust(-(-len(header) // 2880) * 2880).encode())
        file.write(data.ljust(-(-len(data) // 2880) * 2880, b"\0"))


main(*sys.argv[1:3])
