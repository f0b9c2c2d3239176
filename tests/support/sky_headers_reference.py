# SPDX-License-Identifier: BSD-3-Clause
"""Writes tests/support/sky_headers.txt: random headers with a pixel's position, in their own frame and in ICRS, by astropy.

Run: python3 tests/support/sky_headers_reference.py [--seed N] [--count M] > FILE
REBER_SKY_HEADERS=FILE build/dev/tests/reber_unit_tests --gtest_filter='SkyHeaders.*' compares another seed's file.

A line per header: its cards, x, y (of the two celestial axes in the order of the file, 1-based), longitude and latitude
in degrees, the same in ICRS. Cards are KEY=VALUE with one letter for the keyword's stem (STEMS), joined by blanks.

astropy calls WCSLIB too: SIP, frames and precession are its own. TPV is written out, since WCSLIB 7.12 errs unless it
stands on axes 1 and 2, longitude first, with a CD matrix. FK4 and FK5 are computed by the papers' formulas as well,
written out below, and the run ends where the two disagree.
"""
import argparse
import sys
import warnings

import numpy as np
from astropy import units as u
from astropy.coordinates import FK4, FK5, ICRS, BarycentricMeanEcliptic, FK4NoETerms, Galactic, SkyCoord
from astropy.io import fits
from astropy.time import Time
from astropy.wcs import WCS

warnings.simplefilter("ignore")

STEMS = {"T": "CTYPE", "V": "CRVAL", "P": "CRPIX", "D": "CDELT", "R": "CROTA", "C": "CD", "M": "PC", "Q": "PV", "L": "LONPOLE",
         "B": "LATPOLE", "S": "RADESYS", "E": "EQUINOX", "A": "A_", "F": "B_", "O": "A_ORDER", "G": "B_ORDER", "U": "CUNIT"}

# Projections that have their reference point in the sky's middle, and those that are of the whole sky.
ZENITHAL = ["TAN", "SIN", "STG", "ARC", "ZEA", "ZPN", "AZP", "SZP", "AIR", "NCP"]
WHOLE = ["CAR", "CEA", "MER", "CYP", "AIT", "MOL", "SFL", "PAR", "HPX", "COP", "COE", "COD", "COO", "BON", "PCO", "TSC", "CSC", "QSC"]


def rotation(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    out = np.eye(3)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    out[a, a] = out[b, b] = c
    out[a, b], out[b, a] = s, -s
    return out


ARCSEC = np.pi / 180 / 3600
worst = {True: 0.0, False: 0.0}  # differences from the papers' formulas, arcsec: FK5, FK4


def fk5_to_icrs(v, year):
    """Precession of Capitaine, Wallace and Chapront (2003), eq. 40; frame bias of the Hipparcos catalogue."""
    t = (year - 2000) / 100
    zeta = np.polyval([-0.0000003173, -0.000005971, 0.01801828, 0.2988499, 2306.083227, 2.650545], t)
    z = np.polyval([-0.0000002904, -0.000028596, 0.01826837, 1.0927348, 2306.077181, -2.650545], t)
    theta = np.polyval([-0.0000001274, -0.000007089, -0.04182264, -0.4294934, 2004.191903, 0], t)
    to_date = rotation(2, -z * ARCSEC) @ rotation(1, theta * ARCSEC) @ rotation(2, -zeta * ARCSEC)
    bias = rotation(0, 0.0199 * ARCSEC) @ rotation(1, 0.0091 * ARCSEC) @ rotation(2, -0.0229 * ARCSEC)
    return bias.T @ to_date.T @ v


def fk4_to_icrs(v, year, e_terms):
    """Explanatory Supplement (1992), 3.53 and 3.59: E-terms, Newcomb's precession, the matrix of Aoki et al. (1983)."""
    if e_terms:
        t = (year - 1950) * 365.242198781 / 36525
        e = 0.01673011 - 0.00004193 * t - 0.000000126 * t * t
        perigee = (1015489.951 + 6190.67 * t + 1.65 * t * t + 0.012 * t**3) * ARCSEC
        eps = (84404.836 - 46.8495 * t - 0.00319 * t * t + 0.00181 * t**3) * ARCSEC
        a = e * 20.49552 * ARCSEC * np.array([np.sin(perigee), -np.cos(perigee) * np.cos(eps), -np.cos(perigee) * np.sin(eps)])
        v = v - a + (a @ v) * v
        v = v / np.linalg.norm(v)
    t, d = (year - 1850) / 1000, (1950 - year) / 1000
    first = 23035.545 + 139.720 * t + 0.060 * t * t
    zeta = d * (first + d * (30.240 - 0.27 * t + d * 17.995))
    z = d * (first + d * (109.480 + 0.39 * t + d * 18.325))
    theta = d * (20051.12 - 85.29 * t - 0.37 * t * t + d * (-42.65 - 0.37 * t - 41.8 * d))
    v = rotation(2, -z * ARCSEC) @ rotation(1, theta * ARCSEC) @ rotation(2, -zeta * ARCSEC) @ v
    # A source that stands still in FK5 moves in FK4: the lower left part of the six-matrix, by its epoch from 2000.
    spin = np.array([[-0.00055, -0.23854, 0.43574], [0.23851, -0.00267, -0.00854], [-0.43562, 0.01225, 0.00212]])
    place = np.array([[0.9999256782, -0.0111820611, -0.0048579477], [0.0111820610, 0.9999374784, -0.0000271765],
                      [0.0048579479, -0.0000271474, 0.9999881997]])
    julian = 2000 + (33282.42345905 + 365.242198781 * (year - 1950) - 51544.5) / 365.25
    v = place @ v + spin @ v * (julian - 2000) / 100 * ARCSEC
    return fk5_to_icrs(v / np.linalg.norm(v), 2000)


def frame_of(rng):
    """Longitude's and latitude's names, cards, astropy's frame, and the papers' own way to ICRS."""
    kind = rng.choice(["icrs", "fk5", "fk4", "noe", "plain", "galactic", "ecliptic"], p=[0.15, 0.25, 0.2, 0.1, 0.1, 0.1, 0.1])
    if kind == "icrs":
        return "RA", "DEC", {"RADESYS": "ICRS"}, ICRS(), None
    if kind == "galactic":
        return "GLON", "GLAT", {}, Galactic(), None
    if kind == "ecliptic":
        year = float(rng.choice([2000, 1990, 2025.5]))
        return "ELON", "ELAT", {"EQUINOX": year}, BarycentricMeanEcliptic(equinox=Time(year, format="jyear")), None
    if kind == "plain":  # the equinox decides, by the FITS standard
        year = float(rng.choice([1950, 1975, 2000, 2015.5]))
        kind, cards = "fk4" if year < 1984 else "fk5", {"EQUINOX": year}
    else:
        early, late = (1975, 2025.5) if kind == "fk5" else (1875, 1979.9)
        year = float(rng.choice([early, late, 2000 if kind == "fk5" else 1950, round(rng.uniform(early, late), 2)]))
        cards = {"RADESYS": {"fk5": "FK5", "fk4": "FK4", "noe": "FK4-NO-E"}[kind], "EQUINOX": year}
    if kind == "fk5":
        return "RA", "DEC", cards, FK5(equinox=Time(year, format="jyear")), lambda v: fk5_to_icrs(v, year)
    frame = FK4NoETerms if kind == "noe" else FK4
    return "RA", "DEC", cards, frame(equinox=Time(year, format="byear")), lambda v: fk4_to_icrs(v, year, kind == "fk4")


def parameters(code, lat, rng):
    """PV of the latitude axis, which some projections must have and others may."""
    r = lambda low, high: round(rng.uniform(low, high), 2)
    some = rng.random() < 0.6
    table = {"SIN": lambda: {1: r(-.3, .3), 2: r(-.3, .3)} if some else {}, "ZPN": lambda: {1: 1, 3: r(-.2, .2), 5: r(-.05, .05)},
             "AZP": lambda: {1: r(1, 3), 2: r(0, 20)} if some else {}, "SZP": lambda: {1: r(2, 4), 2: r(0, 90), 3: r(70, 90)} if some else {},
             "AIR": lambda: {1: r(20, 90)} if some else {}, "CEA": lambda: {1: r(.3, 1)} if some else {},
             "CYP": lambda: {1: r(.5, 2), 2: r(.5, 2)} if some else {}, "HPX": lambda: {1: 4, 2: 3} if some else {},
             "BON": lambda: {1: r(20, 70)}, "TPV": lambda: {}}
    if code in ("COP", "COE", "COD", "COO"):
        return {f"PV{lat}_1": r(25, 65), **({f"PV{lat}_2": r(0, 20)} if some else {})}
    return {f"PV{lat}_{m}": v for m, v in table.get(code, lambda: {})().items()}


def random_header(rng):
    code = rng.choice(ZENITHAL + WHOLE + ["TPV", "SIP", "SIP", "TPV", "TAN", "SIN"])
    count = 2 if code == "SIP" else int(rng.choice([2, 2, 3, 4]))
    order = list(rng.permutation(count) + 1)
    if code == "TPV":  # WCSLIB 7.12 reads it there alone
        order = list(range(1, count + 1))
    lon, lat = int(order[0]), int(order[1])
    name_lon, name_lat, cards, frame, formula = frame_of(rng)
    header = {}
    kind = "TAN" if code == "SIP" else code
    suffix = "-SIP" if code == "SIP" else ""
    whole = code in WHOLE
    pixel = round(float(10 ** rng.uniform(-4.5, -2.5 if not whole else -0.3)), 6)
    header[f"CTYPE{lon}"] = f"{name_lon}{'-' * (8 - len(name_lon) - 3)}{kind}{suffix}"
    header[f"CTYPE{lat}"] = f"{name_lat}{'-' * (8 - len(name_lat) - 3)}{kind}{suffix}"
    header[f"CRVAL{lon}"] = round(float(rng.uniform(0, 360)), 3)
    header[f"CRVAL{lat}"] = 0 if whole and rng.random() < 0.5 else round(float(np.degrees(np.arcsin(rng.uniform(-1, 1)))), 3)
    header[f"CRPIX{lon}"], header[f"CRPIX{lat}"] = round(float(rng.uniform(-50, 250)), 1), round(float(rng.uniform(-50, 250)), 1)
    for axis, (ctype, value, step) in zip(order[2:], (("FREQ", 9, 1), ("STOKES", 1, 1))):
        header.update({f"CTYPE{axis}": ctype, f"CRVAL{axis}": value, f"CDELT{axis}": step})
    angle = float(np.radians(rng.uniform(0, 360)))
    c, s, dx, dy = np.cos(angle), np.sin(angle), -pixel, pixel * float(rng.choice([1, 1.3]))
    short = lambda v: float(f"{v:.4g}")
    how = rng.choice(["CD", "PC", "CROTA", "CDELT"])
    if how == "CD" and count == 2:
        matrix = {(lon, lon): dx * c, (lon, lat): -dy * s, (lat, lon): dx * s, (lat, lat): dy * c}
        header.update({f"CD{i}_{j}": short(v) for (i, j), v in matrix.items()})
    else:
        header[f"CDELT{lon}"], header[f"CDELT{lat}"] = short(dx), short(dy)
        if how == "PC":
            header.update({f"PC{lon}_{lon}": short(c), f"PC{lon}_{lat}": short(-s), f"PC{lat}_{lon}": short(s), f"PC{lat}_{lat}": short(c)})
        elif how == "CROTA":
            header[f"CROTA{lat}"] = round(float(np.degrees(angle)) - 180, 1)
    header.update(parameters(code, lat, rng))
    if code == "TPV":
        for axis in (lon, lat):
            header.update({f"PV{axis}_1": 1 + short(rng.normal() * 1e-3), f"PV{axis}_4": short(rng.normal() * 1e-2),
                           f"PV{axis}_7": short(rng.normal() * 1e-2)})
    if code == "SIP":
        for letter in "AB":
            header[f"{letter}_ORDER"] = 2
            for term in ("2_0", "1_1", "0_2"):
                header[f"{letter}_{term}"] = short(rng.normal() * 1e-6)
    elif code != "TPV" and rng.random() < 0.25:
        header["LONPOLE"] = round(float(rng.uniform(0, 360)), 1)
    if whole and rng.random() < 0.15:
        header["LATPOLE"] = round(float(rng.uniform(-90, 90)), 1)
    header.update(cards)
    return header, count, lon, lat, frame, formula


def tpv(header, x, y):
    """TPV written out (Calabretta et al. 2004, draft; terms 1, 4 and 7), longitude on axis 1: degrees."""
    cd = with_cd(header, 2, 1, 2)
    dx, dy = x - header["CRPIX1"], y - header["CRPIX2"]
    xi = cd["CD1_1"] * dx + cd.get("CD1_2", 0) * dy
    eta = cd.get("CD2_1", 0) * dx + cd["CD2_2"] * dy
    poly = lambda axis, a, b: header[f"PV{axis}_1"] * a + header[f"PV{axis}_4"] * a * a + header[f"PV{axis}_7"] * a**3
    a, b = np.radians(poly(1, xi, eta)), np.radians(poly(2, eta, xi))
    lon, lat = np.radians(header["CRVAL1"]), np.radians(header["CRVAL2"])
    c = np.cos(lat) - b * np.sin(lat)
    return np.degrees(lon + np.arctan2(a, c)) % 360, np.degrees(np.arctan2(np.sin(lat) + b * np.cos(lat), np.hypot(a, c)))


def with_cd(header, count, lon, lat):
    """CD in place of CDELT, PC and CROTA: WCSLIB 7.12 has TPV right with CD alone."""
    if f"CD{lon}_{lon}" in header:
        return header
    out = {key: value for key, value in header.items() if not key.startswith(("CDELT", "PC", "CROTA"))}
    dx, dy, angle = header[f"CDELT{lon}"], header[f"CDELT{lat}"], np.radians(header.get(f"CROTA{lat}", 0))
    pc = lambda i, j, value: header.get(f"PC{i}_{j}", value)
    out.update({f"CD{i}_{i}": header[f"CDELT{i}"] for i in range(1, count + 1) if i not in (lon, lat)})
    if any(key.startswith("PC") for key in header):
        out.update({f"CD{lon}_{lon}": dx * pc(lon, lon, 1), f"CD{lon}_{lat}": dx * pc(lon, lat, 0),
                    f"CD{lat}_{lon}": dy * pc(lat, lon, 0), f"CD{lat}_{lat}": dy * pc(lat, lat, 1)})
    else:
        out.update({f"CD{lon}_{lon}": dx * np.cos(angle), f"CD{lon}_{lat}": -dy * np.sin(angle),
                    f"CD{lat}_{lon}": dx * np.sin(angle), f"CD{lat}_{lat}": dy * np.cos(angle)})
    return out


def positions(header, count, lon, lat, frame, formula, rng):
    """A pixel, its place and that in ICRS; None where the header is no map or the pixel off the sky."""
    cards = fits.Header()
    cards["NAXIS"] = count
    for key, value in (with_cd(header, count, lon, lat) if header[f"CTYPE{lon}"].endswith("TPV") else header).items():
        cards[key] = value
    first, second = min(lon, lat), max(lon, lat)
    pixel = np.ones(count)
    pixel[first - 1], pixel[second - 1] = (round(float(v), 1) for v in rng.uniform(1, 200, 2))
    try:
        wcs = WCS(cards, naxis=count)
        world = wcs.all_pix2world([pixel], 1)[0]
        back = wcs.wcs_world2pix([world], 1)[0] if "A_ORDER" not in header else pixel
    except Exception:
        return None
    place = world[lon - 1], world[lat - 1]
    if not np.all(np.isfinite(world)) or not np.hypot(*(back - pixel)[[first - 1, second - 1]]) <= 1e-5:
        return None
    if header[f"CTYPE{lon}"].endswith("TPV"):
        error = np.abs(np.array(tpv(header, pixel[0], pixel[1])) - [place[0] % 360, place[1]])
        if not max(error[0] * np.cos(np.radians(place[1])), error[1]) < 1e-10:
            sys.exit(f"TPV written out differs by {error} degrees: {header}")
    here = SkyCoord(place[0] * u.deg, place[1] * u.deg, frame=frame)
    # Galactic and FK4 meet at FK5, as everywhere else.
    icrs = here.transform_to(FK5(equinox="J2000")).transform_to(ICRS()) if not isinstance(frame, ICRS) else here
    if formula is not None:
        v = formula(np.array(here.represent_as("unitspherical").to_cartesian().xyz))
        error = np.linalg.norm(v - np.array(icrs.represent_as("unitspherical").to_cartesian().xyz)) / ARCSEC
        worst[isinstance(frame, FK5)] = max(worst[isinstance(frame, FK5)], error)
        # Murray (1989), whom astropy follows, and Aoki et al. (1983) differ by this, most far from 1950.
        if not error < (0.0005 if isinstance(frame, FK5) else 0.012):
            sys.exit(f"the papers' formulas differ by {error} arcsec: {header}")
    return pixel[first - 1], pixel[second - 1], place[0] % 360, place[1], icrs.ra.deg % 360, icrs.dec.deg


def encoded(header):
    words = []
    for key, value in header.items():
        letter = max((stem for stem in STEMS.items() if key.startswith(stem[1])), key=lambda stem: len(stem[1]))
        text = f"{value:.10g}" if isinstance(value, float) else str(value)
        words.append(f"{letter[0]}{key[len(letter[1]):]}={text}")
    return " ".join(words)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=37)
    parser.add_argument("--count", type=int, default=1800)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    made = 0
    while made < options.count:
        header, *rest = random_header(rng)
        found = positions(header, *rest, rng)
        if found is None:
            continue
        x, y, lon, lat, ra, dec = (float(v) for v in found)
        print(f"{encoded(header)},{x:g},{y:g},{lon:.10f},{lat:.10f},{ra:.9f},{dec:.9f}")
        made += 1
    print(f"papers' formulas: FK5 {worst[True]:.2g}, FK4 {worst[False]:.2g} arcsec at most", file=sys.stderr)


if __name__ == "__main__":
    main()
