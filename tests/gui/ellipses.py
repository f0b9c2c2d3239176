#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Source ellipses on the screen against the catalogue, without the viewer's own arithmetic.

  ellipses.py make NAME               NAME.fits: two sources, and blank pixels as marks around them
  ellipses.py check NAME CSV PNG...   each screenshot: ellipses against the catalogue's positions and sizes on the sky

Screen to image: an affine map through the centres of the blank pixels as they stand in the screenshot. Sky to image: a
gnomonic projection (Calabretta & Greisen 2002) and the CD matrix. Ellipses: conics through the pixels of their colour.
"""
import csv
import math
import random
import struct
import sys
import zlib

SIDE = 256
SKY = (83.25, -21.5)  # CRVAL
REFERENCE = (120.0, 131.0)  # CRPIX, 1-based
# Blank pixels, 0-based, each at a distance of its own from their middle, and the sources: x, y, FWHM in pixels, angle from +x.
MARKS = [(127, 129), (138, 123), (126, 125), (129, 119), (123, 118), (122, 137)]
SOURCES = [(121.37, 127.22, 6.6, 3.4, 25.0), (133.18, 128.71, 5.6, 3.1, 112.0)]
ARCSEC = 1 / 3600


def matrix(turn, width, height, east):
    """CD in degrees a pixel; east: -1 where right ascension grows to the left."""
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    return ((east * width * c, -east * height * s), (width * s, height * c))


IMAGES = {
    "plain": matrix(0, 2 * ARCSEC, 2 * ARCSEC, -1),
    "rotated": matrix(37, 2 * ARCSEC, 2 * ARCSEC, -1),
    "mirrored": matrix(-20, 2 * ARCSEC, 2 * ARCSEC, 1),
    "oblong": matrix(0, 2 * ARCSEC, 3.1 * ARCSEC, -1),
}

# How far off an ellipse may be.
CENTRE_PX, ANGLE_DEG, AXIS_PART = 0.02, 0.3, 0.005


def invert(m):
    (a, b), (c, d) = m
    det = a * d - b * c
    return ((d / det, -b / det), (-c / det, a / det))


def times(m, v):
    return (m[0][0] * v[0] + m[0][1] * v[1], m[1][0] * v[0] + m[1][1] * v[1])


def turned(m, c):
    """m c m^T of a covariance (xx, xy, yy)."""
    (p, q), (r, s) = m
    xx, xy, yy = c
    return (p * p * xx + 2 * p * q * xy + q * q * yy, p * r * xx + (p * s + q * r) * xy + q * s * yy,
            r * r * xx + 2 * r * s * xy + s * s * yy)


def covariance(major, minor, angle):
    """Of full widths; the major axis `angle` radians from the first axis towards the second."""
    c, s = math.cos(angle), math.sin(angle)
    return (major**2 * c * c + minor**2 * s * s, (major**2 - minor**2) * c * s, major**2 * s * s + minor**2 * c * c)


def axes(c):
    middle, spread = 0.5 * (c[0] + c[2]), math.hypot(0.5 * (c[0] - c[2]), c[1])
    return math.sqrt(middle + spread), math.sqrt(middle - spread), 0.5 * math.atan2(2 * c[1], c[0] - c[2])


def make(name):
    rng = random.Random(name)
    rows = [[rng.gauss(0, 1) for _ in range(SIDE)] for _ in range(SIDE)]
    for x0, y0, major, minor, angle in SOURCES:
        xx, xy, yy = covariance(major, minor, math.radians(angle))
        det = xx * yy - xy * xy
        for y in range(SIDE):
            for x in range(SIDE):
                dx, dy = x - x0, y - y0
                r2 = (yy * dx * dx - 2 * xy * dx * dy + xx * dy * dy) / det
                if r2 < 8:
                    rows[y][x] += 200 * math.exp(-4 * math.log(2) * r2)
    for x, y in MARKS:
        rows[y][x] = math.nan
    cd = IMAGES[name]
    beam = 2.5 * math.sqrt(abs(cd[0][0] * cd[1][1] - cd[0][1] * cd[1][0]))
    cards = {"SIMPLE": "T", "BITPIX": -32, "NAXIS": 2, "NAXIS1": SIDE, "NAXIS2": SIDE, "CTYPE1": "'RA---TAN'",
             "CTYPE2": "'DEC--TAN'", "CRVAL1": SKY[0], "CRVAL2": SKY[1], "CRPIX1": REFERENCE[0], "CRPIX2": REFERENCE[1],
             "CD1_1": cd[0][0], "CD1_2": cd[0][1], "CD2_1": cd[1][0], "CD2_2": cd[1][1], "BMAJ": beam, "BMIN": beam,
             "BPA": 0, "BUNIT": "'Jy/beam'"}
    text = "".join(f"{key:8}= {value:>20}".ljust(80) for key, value in cards.items()) + "END"
    with open(f"{name}.fits", "wb") as out:
        out.write(text.ljust(-(-len(text) // 2880) * 2880).encode())
        for row in rows:
            out.write(struct.pack(f">{SIDE}f", *row))
        out.write(bytes(-4 * SIDE * SIDE % 2880))


def to_pixel(name, ra, dec):
    """0-based."""
    a, d, d0 = math.radians(ra - SKY[0]), math.radians(dec), math.radians(SKY[1])
    down = math.sin(d) * math.sin(d0) + math.cos(d) * math.cos(d0) * math.cos(a)
    plane = (math.degrees(math.cos(d) * math.sin(a) / down),
             math.degrees((math.sin(d) * math.cos(d0) - math.cos(d) * math.sin(d0) * math.cos(a)) / down))
    x, y = times(invert(IMAGES[name]), plane)
    return x + REFERENCE[0] - 1, y + REFERENCE[1] - 1


def expected(name, catalogue):
    """(x, y, covariance of the full widths in pixels) of the rows near the sources."""
    with open(catalogue) as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    found = []
    for row in rows:
        x, y = to_pixel(name, float(row["RA"]), float(row["DEC"]))
        if min(math.hypot(x - s[0], y - s[1]) for s in SOURCES) > 1:
            continue
        # PA from north to east; the plane's axes are east and north.
        on_sky = covariance(float(row["Maj"]), float(row["Min"]), math.radians(90 - float(row["PA"])))
        found.append((x, y, turned(invert(IMAGES[name]), on_sky)))
    assert len(found) == len(SOURCES), f"{len(found)} sources in the catalogue"
    return found


def read_png(path):
    """Rows of 8-bit RGB."""
    data = open(path, "rb").read()
    at, packed, width, height = 8, b"", 0, 0
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        part = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", part[:10])
            assert (depth, colour) == (8, 2), (depth, colour)
        if kind == b"IDAT":
            packed += part
        at += size + 12
    raw, stride, rows, before = zlib.decompress(packed), 3 * width, [], bytes(3 * width)
    for y in range(height):
        how, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride if how else 0):
            a, b, c = row[i - 3] if i >= 3 else 0, before[i], before[i - 3] if i >= 3 else 0
            if how == 4:
                p = a + b - c
                best = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            row[i] = (row[i] + (a if how == 1 else b if how == 2 else (a + b) // 2 if how == 3 else best)) & 255
        rows.append(row)
        before = row
    return rows


def groups(pixels, reach):
    """Connected sets of (x, y)."""
    left, all_groups = set(pixels), []
    while left:
        todo, group = [left.pop()], []
        while todo:
            x, y = todo.pop()
            group.append((x, y))
            for near in [(x + i, y + j) for i in range(-reach, reach + 1) for j in range(-reach, reach + 1)]:
                if near in left:
                    left.remove(near)
                    todo.append(near)
        all_groups.append(group)
    return all_groups


def solve(rows, values, weights):
    """Least squares by the normal equations."""
    n = len(rows[0])
    m = [[sum(w * r[i] * r[j] for r, w in zip(rows, weights)) for j in range(n)] +
         [sum(w * r[i] * v for r, v, w in zip(rows, values, weights))] for i in range(n)]
    for i in range(n):
        best = max(range(i, n), key=lambda k: abs(m[k][i]))
        m[i], m[best] = m[best], m[i]
        for k in range(n):
            if k != i:
                f = m[k][i] / m[i][i]
                m[k] = [p - f * q for p, q in zip(m[k], m[i])]
    return [m[i][n] / m[i][i] for i in range(n)]


def screen_to_image(rows):
    """Through the blank pixels, of which each screen pixel has exactly one colour."""
    blank = [(x, y) for y, row in enumerate(rows) for x in range(len(row) // 3)
             if row[3 * x:3 * x + 3] == b"\x3d\x45\x4f"]
    squares = [g for g in groups(blank, 1) if len(g) > 500]
    assert len(squares) == len(MARKS), f"{len(squares)} blank pixels on the screen"
    seen = [(sum(x for x, _ in g) / len(g) + 0.5, sum(y for _, y in g) / len(g) + 0.5) for g in squares]
    # Which is which: by the distances from their middle, which no flip or turn changes.
    def by_distance(points):
        mx, my = sum(p[0] for p in points) / len(points), sum(p[1] for p in points) / len(points)
        return sorted(points, key=lambda p: math.hypot(p[0] - mx, p[1] - my))
    marks, seen = by_distance(MARKS), by_distance(seen)
    design = [(x, y, 1) for x, y in seen]
    ones = [1] * len(seen)
    to_x, to_y = (solve(design, [m[i] for m in marks], ones) for i in (0, 1))
    worst = max(math.hypot(sum(a * b for a, b in zip(to_x, d)) - m[0], sum(a * b for a, b in zip(to_y, d)) - m[1])
                for d, m in zip(design, marks))
    assert worst < 0.03, f"the blank pixels do not lie on one grid: {worst:.3f} pixels off"
    return to_x, to_y


def drawn(rows):
    """(x, y, covariance of the full widths), in image pixels, of each ellipse on the screen."""
    to_x, to_y = screen_to_image(rows)
    ink = {}  # the source's colour is (86, 180, 233); grey pixels under it do not change the difference
    for y, row in enumerate(rows):
        for x in range(len(row) // 3):
            r, g, b = row[3 * x:3 * x + 3]
            if g - r > 25 and b - r > 40 and 1.35 < (b - r) / (g - r) < 1.8:
                ink[x, y] = g - r
    found = []
    for group in groups(ink, 2):
        if len(group) < 300:
            continue
        design, weights = [], []
        mx, my = sum(p[0] for p in group) / len(group), sum(p[1] for p in group) / len(group)
        for x, y in group:
            u, v = (x - mx) / 100, (y - my) / 100
            design.append((u * u, u * v, v * v, u, v))
            weights.append(ink[x, y])
        a, b, c, d, e = solve(design, [1] * len(group), weights)
        # a u^2 + b u v + c v^2 + d u + e v = 1
        det = 4 * a * c - b * b
        u, v = (b * e - 2 * c * d) / det, (b * d - 2 * a * e) / det
        scale = 1 + a * u * u + b * u * v + c * v * v
        inverse = invert(((a / scale, 0.5 * b / scale), (0.5 * b / scale, c / scale)))
        half = (inverse[0][0] * 1e4, inverse[0][1] * 1e4, inverse[1][1] * 1e4)  # squares of half widths
        at = (mx + 100 * u + 0.5, my + 100 * v + 0.5, 1)
        found.append((sum(p * q for p, q in zip(to_x, at)), sum(p * q for p, q in zip(to_y, at)),
                      tuple(4 * v for v in turned((to_x[:2], to_y[:2]), half))))
    return found


def check(name, catalogue, pictures):
    wanted, wrong = expected(name, catalogue), 0
    for picture in pictures:
        ellipses = drawn(read_png(picture))
        assert len(ellipses) == len(wanted), f"{picture}: {len(ellipses)} ellipses"
        for x, y, c in wanted:
            near = min(ellipses, key=lambda s: math.hypot(s[0] - x, s[1] - y))
            off = math.hypot(near[0] - x, near[1] - y)
            (major, minor, angle), (big, small, at) = axes(c), axes(near[2])
            turn = math.degrees((at - angle + math.pi / 2) % math.pi - math.pi / 2)
            bad = off > CENTRE_PX or abs(turn) > ANGLE_DEG or abs(big / major - 1) > AXIS_PART or \
                abs(small / minor - 1) > AXIS_PART
            wrong += bad
            print(f"{picture}: ({x:.3f}, {y:.3f}) {major:.3f} x {minor:.3f} at {math.degrees(angle):.2f}; drawn "
                  f"{off:.3f} px off, {big / major:.4f} and {small / minor:.4f} times, turned {turn:+.2f}"
                  f"{'  WRONG' if bad else ''}")
    return wrong


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2])
    else:
        sys.exit(1 if check(sys.argv[2], sys.argv[3], sys.argv[4:]) else 0)
