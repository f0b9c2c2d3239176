# SPDX-License-Identifier: BSD-3-Clause
"""Writes tests/support/sky_reference.csv: positions by astropy, against which the viewer's readouts are tested.

Run: python3 tests/support/sky_reference.py DATA > tests/support/sky_reference.csv
DATA is the folder with fits_corpus and images. Rows:
  frame,from,equinox,lon,lat,to,equinox,lon,lat     a position in two frames, degrees
  text,hours,lon,lat,digits,lon text,lat text       sexagesimal text
  pixel,file,x,y,lon,lat                            0-based pixel and sky of the image's own frame, degrees
  (a comma in a file's name is written %2C)
  ellipse,file,x,y,major,minor,pa,x1,y1,x2,y2       0-based pixels of the tips of the half axes, degrees
"""
import glob
import json
import sys
import warnings

import numpy as np
from astropy import units as u
from astropy.coordinates import (FK4, FK5, ICRS, Angle, BarycentricMeanEcliptic, Galactic, SkyCoord)
from astropy.io import fits
from astropy.wcs import WCS

warnings.simplefilter("ignore")
FRAMES = {
    ("icrs", 2000): ICRS(), ("fk5", 2000): FK5(equinox="J2000"), ("fk5", 1975): FK5(equinox="J1975"),
    ("fk4", 1950): FK4(equinox="B1950"), ("fk4", 1975): FK4(equinox="B1975"), ("galactic", 2000): Galactic(),
    ("ecliptic", 2000): BarycentricMeanEcliptic(equinox="J2000"),
    ("ecliptic", 2015): BarycentricMeanEcliptic(equinox="J2015"),
}


def celestial_files(data):
    """Each file of the corpus that is to be opened and has a celestial WCS, with its HDU; then the real images."""
    with open(f"{data}/fits_corpus/manifest.json") as file:
        for entry in json.load(file)["files"]:
            if entry["expect"] == "accept" and entry.get("image", {}).get("wcs", {}).get("celestial"):
                yield f"fits_corpus/{entry['file']}", entry["hdu"]
    for path in sorted(glob.glob(f"{data}/images/*/*.fits*")):
        with fits.open(path) as hdus:
            found = next((i for i, h in enumerate(hdus) if h.is_image and h.header.get("NAXIS", 0) >= 2), None)
            if found is not None and WCS(hdus[found].header).has_celestial:
                yield path[len(data) + 1:], found


def angles(coord):
    r = coord.spherical
    return r.lon.wrap_at(360 * u.deg).deg, r.lat.deg


def frames(rng):
    lon = np.concatenate([rng.uniform(0, 360, 5), [0, 359.9999, 266.4, 12.0]])
    lat = np.concatenate([np.degrees(np.arcsin(rng.uniform(-1, 1, 5))), [0, -89.5, -28.9, 89.9]])
    for (a, ea), fa in FRAMES.items():
        for (b, eb), fb in FRAMES.items():
            if (a, ea) == (b, eb):
                continue
            # Galactic and FK4 meet at FK5, as everywhere else.
            here = SkyCoord(lon * u.deg, lat * u.deg, frame=fa)
            there = here.transform_to(FK5(equinox="J2000")).transform_to(fb)
            for i, (x, y) in enumerate(zip(*angles(there))):
                print(f"frame,{a},{ea},{lon[i]!r},{lat[i]!r},{b},{eb},{x!r},{y!r}")


def texts(rng):
    for digits in range(0, 6):
        for lon, lat in zip(rng.uniform(0, 360, 6), rng.uniform(-90, 90, 6)):
            for hours in (1, 0):
                a = Angle(lon * u.deg).to_string(u.hourangle if hours else u.deg, sep=":", pad=True, precision=digits)
                if not hours:
                    whole, rest = a.split(":", 1)
                    a = f"{int(whole):03d}:{rest}"
                b = Angle(lat * u.deg).to_string(u.deg, sep=":", pad=True, alwayssign=True, precision=digits)
                print(f"text,{hours},{lon!r},{lat!r},{digits},{a},{b}")


def pixels(data, rng):
    for file, hdu in celestial_files(data):
        with fits.open(f"{data}/{file}") as hdus:
            wcs = WCS(hdus[hdu].header).celestial
        nx, ny = wcs.pixel_shape
        file = file.replace(",", "%2C")
        for x, y in [((nx - 1) / 2, (ny - 1) / 2)] + list(zip(rng.uniform(0, nx - 1, 4), rng.uniform(0, ny - 1, 4))):
            lon, lat = wcs.all_pix2world(x, y, 0)
            if not np.isfinite(lon) or not np.isfinite(lat):
                continue
            print(f"pixel,{file},{float(x)!r},{float(y)!r},{float(lon) % 360!r},{float(lat)!r}")
            # Small against the curvature of the projection, large against the rounding of the corpus' headers.
            step = np.sqrt(wcs.proj_plane_pixel_area().to_value(u.deg**2))
            major, minor, pa = 4 * step, 2 * step, float(rng.uniform(0, 180))
            centre = SkyCoord(lon * u.deg, lat * u.deg)
            tips = []
            for angle, size in ((pa, major / 2), (pa + 90, minor / 2)):
                tip = centre.directional_offset_by(angle * u.deg, size * u.deg)
                tips += [float(v) for v in wcs.all_world2pix(tip.ra.deg, tip.dec.deg, 0)]
            # At the seam of an all-sky map a tip lies on the other side.
            if np.hypot(tips[0] - x, tips[1] - y) > 3:
                continue
            print("ellipse,%s,%r,%r,%r,%r,%r,%r,%r,%r,%r" % (file, float(x), float(y), float(major), float(minor), pa, *tips))


if __name__ == "__main__":
    generator = np.random.default_rng(20)
    frames(generator)
    texts(generator)
    pixels(sys.argv[1], generator)
