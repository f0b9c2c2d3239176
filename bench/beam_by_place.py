# SPDX-License-Identifier: BSD-3-Clause
"""Points with a beam constant on the sky in many projections: Reber's fluxes, pulls and how many it calls resolved.

python3 bench/beam_by_place.py --reber build/dev/app/reber     needs numpy and astropy
Noise is white noise smoothed by the beam of the place. Flux over true and pulls are medians and standard deviations
(1.48 times the median deviation); the last column is the part of the points that are `Resolved`.
"""
import argparse
import csv
import pathlib
import subprocess
import tempfile
import warnings

import numpy as np
from astropy.io import fits
from astropy.wcs import WCS

warnings.simplefilter("ignore")
FWHM, PEAK, RMS = 4.0, 100.0, 1.0  # FWHM in pixels where the projection is true

#        name: CTYPE code, CDELT deg, CRVAL1, CRVAL2, CRPIX2 offset in pixels, PV
CASES = {
    "SIN, small: the control": ("SIN", 0.0005, 40, 20, 0, {}),
    "CAR -10 to 80": ("CAR", 0.1, 30, 0, 350, {}),
    "AIT": ("AIT", 0.3, 0, 0, 0, {}),
    "MOL": ("MOL", 0.3, 0, 0, 0, {}),
    "ZEA": ("ZEA", 0.15, 40, 60, 0, {}),
    "HPX": ("HPX", 0.2, 0, 0, 0, {}),
    "TAN 30 deg": ("TAN", 0.0375, 40, 20, 0, {}),
    "TAN mirrored": ("TAN", -0.0375, 40, -20, 0, {}),
    "STG": ("STG", 0.1, 40, -30, 0, {}),
    "ARC": ("ARC", 0.15, 40, -50, 0, {}),
    "CEA": ("CEA", 0.15, 30, 0, 0, {}),
    "MER": ("MER", 0.15, 30, 0, 0, {}),
    "SFL": ("SFL", 0.2, 0, 0, 0, {}),
    "TAN-SIP": ("TAN-SIP", 0.004, 40, 20, 0, {"A_ORDER": 3, "B_ORDER": 3, "A_3_0": 2e-8, "A_1_2": 2e-8, "B_0_3": 2e-8,
                                            "B_2_1": 2e-8}),
}


def header_of(case, n, unit):
    code, cdelt, lon, lat, offset, more = case
    h = fits.Header()
    h["NAXIS"], h["NAXIS1"], h["NAXIS2"] = 2, n, n
    tail = "-SIP" if code.endswith("-SIP") else ""
    code = code[:3]
    h["CTYPE1"], h["CTYPE2"] = f"RA---{code}{tail}", f"DEC--{code}{tail}"
    h["CRPIX1"], h["CRPIX2"] = n / 2, n / 2 - offset
    h["CDELT1"], h["CDELT2"] = -cdelt, abs(cdelt)
    h["CUNIT1"] = h["CUNIT2"] = "deg"
    h["CRVAL1"], h["CRVAL2"], h["RADESYS"] = lon, lat, "ICRS"
    h["BMAJ"], h["BMIN"], h["BPA"], h["BUNIT"] = 1.25 * FWHM * abs(cdelt), FWHM * abs(cdelt), 0.0, unit
    h.update(more)
    return h


def local_matrix(wcs, x, y):
    """d(east, north)/d(x, y), degrees, by differences; None off the sky."""
    step = 0.05
    lon, lat = wcs.all_pix2world([x, x + step, x - step, x, x], [y, y, y, y + step, y - step], 0)
    if not np.all(np.isfinite(lon)) or not np.all(np.isfinite(lat)) or abs(lat[0]) > 83:
        return None
    turn = (np.array([lon[1] - lon[2], lon[3] - lon[4]]) + 180) % 360 - 180
    m = np.array([turn * np.cos(np.radians(lat[0])), [lat[1] - lat[2], lat[3] - lat[4]]]) / (2 * step)
    return m if abs(np.linalg.det(m)) > 0 and np.hypot(*turn) < 20 else None


def draw(case, n, unit, random):
    h = header_of(case, n, unit)
    wcs = WCS(h)
    image = random.normal(0, RMS, (n, n))
    sky = np.diag([h["BMIN"] ** 2, h["BMAJ"] ** 2])  # east, north; BPA 0
    truth, half = [], 20
    ky, kx = np.meshgrid(*[2 * np.pi * np.fft.fftfreq(2 * half)] * 2, indexing="ij")
    for y in range(half, n - half, 2 * half):
        for x in range(half, n - half, 2 * half):
            m = local_matrix(wcs, x, y)
            corners = [local_matrix(wcs, x + a, y + b) for a in (-14, 14) for b in (-14, 14)]
            if m is None or any(c is None for c in corners):
                continue
            inverse = np.linalg.inv(m)
            c = inverse @ sky @ inverse.T
            if np.linalg.eigvalsh(c)[1] > 14 ** 2 or np.linalg.eigvalsh(c)[0] < 2:
                continue
            s = c / (8 * np.log(2))
            noise = np.fft.ifft2(np.fft.fft2(random.normal(0, 1, (2 * half, 2 * half))) *
                                 np.exp(-0.5 * (s[0, 0] * kx ** 2 + 2 * s[0, 1] * kx * ky + s[1, 1] * ky ** 2))).real
            noise *= RMS * np.sqrt(4 * np.pi * np.sqrt(np.linalg.det(s)))
            px, py = x + random.uniform(-.5, .5), y + random.uniform(-.5, .5)
            j, i = np.mgrid[y - half:y + half, x - half:x + half]
            q = np.linalg.inv(s)
            dx, dy = i - px, j - py
            image[y - half:y + half, x - half:x + half] = noise + PEAK * np.exp(
                -0.5 * (q[0, 0] * dx * dx + 2 * q[0, 1] * dx * dy + q[1, 1] * dy * dy))
            beam_sr = np.pi / (4 * np.log(2)) * h["BMAJ"] * h["BMIN"] * np.radians(1) ** 2
            truth.append((px, py, PEAK * (beam_sr * 1e6 if unit == "MJy/sr" else 1)))
    return h, image.astype("f4"), truth


def run(program, h, image, truth, options):
    with tempfile.TemporaryDirectory() as folder:
        path, table = pathlib.Path(folder, "i.fits"), pathlib.Path(folder, "o.csv")
        fits.writeto(path, image, h)
        subprocess.run([program, "find", str(path), "-o", str(table), "--backend", "cpu", *options], check=True,
                       capture_output=True)
        lines = [line for line in table.read_text().splitlines() if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    return rows, truth


def main():
    parse = argparse.ArgumentParser(description=__doc__)
    parse.add_argument("--reber", required=True)
    parse.add_argument("--unit", default="Jy/beam")
    parse.add_argument("--size", type=int, default=800)
    parse.add_argument("--only")
    parse.add_argument("--seed", type=int, default=7)
    parse.add_argument("options", nargs="*")
    arguments = parse.parse_args()
    for name, case in CASES.items():
        if arguments.only and arguments.only not in name:
            continue
        random = np.random.default_rng(arguments.seed)
        rows, truth = run(arguments.reber, *draw(case, arguments.size, arguments.unit, random), arguments.options)
        places = np.array([(float(r["Xposn"]), float(r["Yposn"])) for r in rows]).reshape(-1, 2)
        got = []
        for x, y, total in truth:
            d = np.hypot(*(places - (x, y)).T) if len(places) else np.array([99.])
            if d.min() < 2:
                r = rows[int(d.argmin())]
                value = float(r["Total_flux"])
                got.append((value / total, (value - total) / float(r["E_Total_flux"]), float(r["Total_flux"]) / float(r["Peak_flux"]),
                            float(r["Resolved"])))
        g = np.array(got).reshape(-1, 4)
        if not len(g):
            print(f"| {name} | {len(truth)} | none found |")
            continue
        spread = 1.4826 * np.median(np.abs(g[:, 1] - np.median(g[:, 1])))
        print(f"| {name} | {len(g)} of {len(truth)} | {np.median(g[:, 0]):.4f} ({g[:, 0].min():.3f} to {g[:, 0].max():.3f})"
              f" | {np.median(g[:, 1]):+.2f} | {spread:.2f} | {100 * g[:, 3].mean():.1f} % |", flush=True)


if __name__ == "__main__":
    main()
