# SPDX-License-Identifier: BSD-3-Clause
"""A small cube of a spectral line, with its axes in a given order: two sources and noise.

    line_cube.py FILE ORDER [STOKES]     ORDER: letters of x, y, v (FREQ), s (STOKES)     STOKES: IQ (default) or IQUV
"""
import sys

import numpy as np

CHANNELS, SIDE = 40, 64
REST, LIGHT = 1.420405751768e9, 299792458.0
STEP = 4000.0  # m/s


def card(key, value):
    text = f"'{value:<8}'" if isinstance(value, str) else ("T" if value is True else repr(value)).rjust(20)
    return f"{key:<8}= {text}".ljust(80)


def main(path, order, stokes="IQ"):
    random = np.random.default_rng(4)
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    v = np.arange(CHANNELS)[:, None, None]
    line = 0.1 * np.exp(-0.5 * ((v - 20 - 0.25 * (x - 32)) / 2.0) ** 2) * np.exp(-0.5 * ((x - 32) ** 2 + (y - 32) ** 2) / 64)
    continuum = 0.05 * np.exp(-0.5 * ((x - 50) ** 2 + (y - 12) ** 2) / 4) + 0 * v
    cube = line + continuum + random.normal(0, 0.002, (CHANNELS, SIDE, SIDE))
    planes = [cube, -0.5 * cube]  # s v y x
    if stokes == "IQUV":
        planes += [0.3 * line + random.normal(0, 0.001, line.shape), random.normal(0, 0.001, line.shape)]
    cube = np.stack(planes)
    axes = {"x": ("RA---SIN", "deg", 33.0, 30.0, -2 / 3600), "y": ("DEC--SIN", "deg", 33.0, 20.0, 2 / 3600),
            "v": ("FREQ", "Hz", 1.0, REST, -REST * STEP / LIGHT), "s": ("STOKES", "", 1.0, 1.0, 1.0)}
    if "s" not in order:
        cube = cube[:1]
        order += "s"
    cube = np.transpose(cube, ["svyx".index(c) for c in reversed(order)])
    cards = [card("SIMPLE", True), card("BITPIX", -32), card("NAXIS", len(order))]
    cards += [card(f"NAXIS{i}", n) for i, n in enumerate(reversed(cube.shape), 1)]
    for i, c in enumerate(order, 1):
        for key, value in zip(("CTYPE", "CUNIT", "CRPIX", "CRVAL", "CDELT"), axes[c]):
            cards.append(card(f"{key}{i}", value))
    cards += [card("RESTFRQ", REST), card("SPECSYS", "LSRK"), card("BUNIT", "Jy/beam"), card("RADESYS", "ICRS")]
    cards += [card("BMAJ", 8 / 3600), card("BMIN", 8 / 3600), card("BPA", 0.0), "END".ljust(80)]
    header = "".join(cards)
    data = np.ascontiguousarray(cube, ">f4").tobytes()
    with open(path, "wb") as file:
        file.write(header.ljust(-(-len(header) // 2880) * 2880).encode())
        file.write(data.ljust(-(-len(data) // 2880) * 2880, b"\0"))


main(*sys.argv[1:])
