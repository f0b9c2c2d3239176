# SPDX-License-Identifier: BSD-3-Clause
"""Small FITS cubes of tests, by NumPy alone."""
import numpy as np

SPECTRAL = ("VRAD", 1.0e5, 3.0, 2.0e3, "m/s")


def write(name, data, order="xyf", spectral=SPECTRAL, extra=()):
    """data: [f, y, x]. order: of the file's axes. spectral: type, value, pixel, step, unit. extra: cards."""
    sizes = dict(zip("fyx", data.shape))
    axes = {"x": ("RA---SIN", 10.0, 30.0, -0.001, "deg"), "y": ("DEC--SIN", -20.0, 25.0, 0.001, "deg"), "f": spectral}
    cards = ["SIMPLE  =                    T", "BITPIX  =                  -32", "NAXIS   =                    3"]
    cards += ["NAXIS%d  = %20d" % (i + 1, sizes[a]) for i, a in enumerate(order)]
    for i, a in enumerate(order):
        kind, value, pixel, step, unit = axes[a]
        cards += ["CTYPE%d  = '%-8s'" % (i + 1, kind), "CRVAL%d  = %20r" % (i + 1, value), "CRPIX%d  = %20r" % (i + 1, pixel),
                  "CDELT%d  = %20r" % (i + 1, step), "CUNIT%d  = '%-8s'" % (i + 1, unit)]
    cards += ["BUNIT   = 'Jy/beam '", "BMAJ    = 0.004", "BMIN    = 0.003", "BPA     = 20.0", *extra]
    text = "".join(c.ljust(80) for c in cards + ["END"])
    text += " " * (-len(text) % 2880)
    body = np.transpose(data, ["fyx".index(a) for a in reversed(order)]).astype(">f4").tobytes()
    with open(name, "wb") as file:
        file.write(text.encode() + body + b"\0" * (-len(body) % 2880))


def read(name):
    """Cards as text, and the pixels as doubles, the last axis of the file first."""
    with open(name, "rb") as file:
        raw = file.read()
    cards, at = {}, 0
    while (card := raw[at:at + 80].decode()).strip() != "END":
        at += 80
        if card[8:10] == "= ":
            cards[card[:8].strip()] = card[10:].split(" /")[0].strip(" '")
    at = (at // 2880 + 1) * 2880
    shape = [int(cards["NAXIS%d" % (i + 1)]) for i in range(int(cards["NAXIS"]))][::-1]
    return cards, np.frombuffer(raw, ">f4", int(np.prod(shape)), at).reshape(shape).astype(float)
