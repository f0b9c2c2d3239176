# SPDX-License-Identifier: BSD-3-Clause
"""Source finders that are installed, each at its defaults with 5 and 3 sigma, and one table for all of them.

usage: finders.py NAME IMAGE.fits TABLE.csv [REBER]   (what challenge.py starts; one process, so that its cost can be taken)
A table has x, y (pixels from 0), ra, dec (degrees), total (Jy), peak (Jy/beam), e_total, e_x, and the deconvolved major, minor
(arcsec) and pa (degrees): 0 where a source is not resolved, NaN where the finder does not say.
"""
import csv
import glob
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

# The program of AegeanTools 2.3, which names an exception as NumPy before 2 did.
AEGEAN = "import sys, numpy; numpy.linalg.linalg = numpy.linalg; from AegeanTools.CLI.aegean import main; sys.exit(main(sys.argv[1:]))"
COLUMNS = ("x", "y", "ra", "dec", "total", "peak", "e_total", "e_x", "major", "minor", "pa")


def command(name):
    """A program beside this Python or on the path."""
    beside = os.path.join(os.path.dirname(sys.executable), name)
    return beside if os.path.exists(beside) else shutil.which(name)


def installed():
    """Names of the finders besides Reber, in the order of the tables."""
    has = {
        "PyBDSF": importlib.util.find_spec("bdsf") is not None,
        "Aegean": bool(command("aegean") and command("BANE")),
        "PySE": bool(command("pyse")),
        "SEP": importlib.util.find_spec("sep") is not None,
    }
    return [name for name, there in has.items() if there]


def read_csv(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader((line for line in file if not line.startswith("#")), skipinitialspace=True))
    return {name.strip(): [row[name] for row in rows] for name in rows[0]} if rows else {}


def column(table, name):
    return np.array([float(cell) if cell not in ("", "null", "None") else np.nan for cell in table.get(name, [])])


def geometry(path):
    """WCS of the first two axes, pixels, and the beam in arcsec and its area in pixels."""
    from astropy.io import fits
    from astropy.wcs import WCS

    with fits.open(path) as file:
        header, pixels = file[0].header, np.array(file[0].data.squeeze(), dtype=float)
    side = abs(header["CDELT2"]) * 3600
    major, minor = header["BMAJ"] * 3600, header["BMIN"] * 3600
    return WCS(header).celestial, pixels, (major, minor, header.get("BPA") or 0.0), np.pi / (4 * np.log(2)) * major * minor / side**2


def completed(image, folder):
    """A copy with the beam's angle, frequency and date that some finders insist on."""
    from astropy.io import fits

    with fits.open(image) as file:
        header, pixels = file[0].header, file[0].data
    header.pop("BLANK", None)
    if header.get("BPA") is None:
        header["BPA"] = 0.0
    for key, value in {"RESTFRQ": 1.5e8, "DATE-OBS": "2020-01-01T00:00:00"}.items():
        header.setdefault(key, value)
    path = f"{folder}/sky.fits"
    fits.writeto(path, pixels, header, overwrite=True)
    return path


def covariance(major, minor, pa):
    t = np.radians(pa)
    s, c = np.sin(t), np.cos(t)
    return np.array([[major**2 * s * s + minor**2 * c * c, (major**2 - minor**2) * s * c], [(major**2 - minor**2) * s * c, major**2 * c * c + minor**2 * s * s]])


def deconvolved(major, minor, pa, beam):
    """Axes and angle of each without the beam; 0 where an axis is below it."""
    out = []
    for one in zip(major, minor, pa):
        values, vectors = np.linalg.eigh(covariance(*one) - covariance(*beam))
        a, b = np.sqrt(np.maximum(values[::-1], 0))
        out.append((a, b, np.degrees(np.arctan2(vectors[0, 1], vectors[1, 1])) % 180))
    return np.array(out).reshape(-1, 3).T


def run(arguments, **more):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, **more)
    if done.returncode:
        raise SystemExit(f"{arguments[0]}: {done.stderr[-2000:]}")


def find_reber(image, folder, program):
    run([program, "find", image, "-o", f"{folder}/found.csv", "--overwrite"])
    table = read_csv(f"{folder}/found.csv")
    names = dict(x="Xposn", y="Yposn", ra="RA", dec="DEC", total="Total_flux", peak="Peak_flux", e_total="E_Total_flux", e_x="E_Xposn")
    made = {key: column(table, name) for key, name in names.items()}
    sizes = {"major": column(table, "DC_Maj") * 3600, "minor": column(table, "DC_Min") * 3600, "pa": column(table, "DC_PA")}
    return made | {key: np.nan_to_num(value) for key, value in sizes.items()}


def find_pybdsf(image, folder, _):
    import bdsf

    found = bdsf.process_image(completed(image, folder), quiet=True, ncores=1, frequency=1.5e8).sources
    parts = [part for source in found for part in source.gaussians]
    row = lambda read: np.array([read(one) for one in parts], dtype=float)
    return {
        "x": row(lambda g: g.centre_pix[0]), "y": row(lambda g: g.centre_pix[1]), "ra": row(lambda g: g.centre_sky[0]), "dec": row(lambda g: g.centre_sky[1]),
        "total": row(lambda g: g.total_flux), "peak": row(lambda g: g.peak_flux), "e_total": row(lambda g: g.total_fluxE), "e_x": row(lambda g: g.centre_pixE[0]),
        "major": row(lambda g: g.deconv_size_sky[0] * 3600), "minor": row(lambda g: g.deconv_size_sky[1] * 3600), "pa": row(lambda g: g.deconv_size_sky[2]),
    }


def find_aegean(image, folder, _):
    wcs, _, beam, _ = geometry(image)
    completed(image, folder)
    run([command("BANE"), "sky.fits", "--cores", "1"], cwd=folder)
    run([sys.executable, "-c", AEGEAN, "sky.fits", "--autoload", "--slice", "0", "--cores", "1", "--seedclip", "5", "--floodclip", "4", "--table", "out.csv"], cwd=folder)
    table = read_csv(f"{folder}/out_comp.csv")
    made = {key: column(table, name) for key, name in dict(ra="ra", dec="dec", total="int_flux", peak="peak_flux", e_total="err_int_flux").items()}
    made["x"], made["y"] = wcs.all_world2pix(made["ra"], made["dec"], 0)
    made["e_x"] = column(table, "err_ra") / abs(wcs.wcs.cdelt[0]) * np.cos(np.radians(made["dec"]))
    made["major"], made["minor"], made["pa"] = deconvolved(column(table, "a"), column(table, "b"), column(table, "pa"), beam)
    return made


def find_pyse(image, folder, _):
    wcs, _, beam, _ = geometry(image)
    run([command("pyse"), "--csv", "--detection-thr", "5", "--analysis-thr", "3", "--output-dir", folder, completed(image, folder)])
    table = read_csv(glob.glob(f"{folder}/*.csv")[0])
    names = dict(ra="ra", dec="dec", total="flux", peak="peak", e_total="flux_err")
    made = {key: column(table, name) for key, name in names.items()}
    made["x"], made["y"] = wcs.all_world2pix(made["ra"], made["dec"], 0)
    made["e_x"] = column(table, "ra_err") / abs(wcs.wcs.cdelt[0]) * np.cos(np.radians(made["dec"]))
    made["major"], made["minor"], made["pa"] = deconvolved(2 * column(table, "smaj_asec"), 2 * column(table, "smin_asec"), column(table, "theta_celes"), beam)
    return made


def find_sep(image, _, __):
    import sep

    wcs, pixels, beam, area = geometry(image)
    mask = ~np.isfinite(pixels)
    noise = sep.Background(np.where(mask, 0, pixels), mask=mask)
    found = sep.extract(np.where(mask, 0, pixels) - noise.back(), 3, err=noise.rms(), mask=mask, minarea=1, filter_kernel=None)
    found = found[found["peak"] > 5 * noise.rms()[found["ypeak"], found["xpeak"]]]
    ra, dec = wcs.all_pix2world(found["x"], found["y"], 0)
    none = np.full(len(found), np.nan)
    scale = 2.3548 * abs(wcs.wcs.cdelt[1]) * 3600
    major, minor, pa = deconvolved(found["a"] * scale, found["b"] * scale, np.degrees(found["theta"]) - 90, beam)
    return {"x": found["x"], "y": found["y"], "ra": ra, "dec": dec, "total": found["flux"] / area, "peak": found["peak"], "e_total": none, "e_x": none, "major": major, "minor": minor, "pa": pa}


FINDERS = {"Reber": find_reber, "PyBDSF": find_pybdsf, "Aegean": find_aegean, "PySE": find_pyse, "SEP": find_sep}


def main():
    name, image, path = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        made = FINDERS[name](os.path.abspath(image), folder, sys.argv[4] if len(sys.argv) > 4 else None)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(zip(*(made[key] for key in COLUMNS)))


if __name__ == "__main__":
    main()
