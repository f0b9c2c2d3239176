#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`reber smooth` of a cube from file to file, beside convolve-rs: planes a second, processor time, memory.

usage: cubes.py --reber BIN [--before BIN] [--planes 64] [--size 4096] [--folder DIR] [--threads 2] [--repeats 3] [--peer yes|no]

The cube has a table of beams (10 x 8 to 7 x 5.6 arcsec at 2 arcsec a pixel), noise and sources; all planes go to 14 x 12 arcsec,
by kernels that are no product of a row and a column. convolve-rs (with astropy; `pip install convolve-rs astropy`) is called as
its users do, in four ways: arrays in memory alone; the cube opened by astropy, the whole result written by astropy; plane by
plane, each read, smoothed and written at its place; the same by two threads, as its calls let go of Python's lock. Every way is a
process of its own; medians, the ways interleaved. Ways that write end with fsync. Exit status 1 where a command failed.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TARGET = (14, 12, 30)
PIXEL = 2 / 3600


def make(path, size, planes):
    import numpy as np
    from astropy.io import fits

    head = fits.Header()
    for key, value in (("SIMPLE", True), ("BITPIX", -32), ("NAXIS", 3), ("NAXIS1", size), ("NAXIS2", size), ("NAXIS3", planes),
                       ("EXTEND", True), ("CTYPE1", "RA---SIN"), ("CTYPE2", "DEC--SIN"), ("CRVAL1", 10.0), ("CRVAL2", -30.0),
                       ("CRPIX1", size / 2), ("CRPIX2", size / 2), ("CDELT1", -PIXEL), ("CDELT2", PIXEL), ("CUNIT1", "deg"),
                       ("CUNIT2", "deg"), ("BUNIT", "Jy/beam"), ("CTYPE3", "FREQ"), ("CRVAL3", 1.4e9), ("CRPIX3", 1.0),
                       ("CDELT3", 1e6), ("CUNIT3", "Hz"), ("CASAMBM", True)):
        head[key] = value
    rng = np.random.default_rng(5)
    noise = rng.standard_normal((size + 8 * planes, size), dtype=np.float32) * np.float32(1e-4)
    y, x = np.mgrid[-15:16, -15:16]
    shape = np.exp(-4 * np.log(2) / 25 * (x * x + y * y)).astype(np.float32)
    for _ in range(max(size * size // 50000, 3)):
        cy, cx = rng.integers(16, size - 16), rng.integers(16, size - 16)
        noise[cy - 15:cy + 16, cx - 15:cx + 16] += shape * np.float32(1e-3 * 100**rng.random())
    with open(path, "wb") as file:
        file.write(head.tostring().encode())
        for plane in range(planes):  # eight rows further in each
            file.write(noise[8 * plane:8 * plane + size].astype(">f4").tobytes())
        file.write(b"\0" * (-file.tell() % 2880))
    part = np.arange(planes) / planes
    columns = [("BMAJ", "E", "arcsec", 10 * (1 - 0.3 * part)), ("BMIN", "E", "arcsec", 8 * (1 - 0.3 * part)),
               ("BPA", "E", "deg", 30 + 5 * part), ("CHAN", "J", None, np.arange(planes)), ("POL", "J", None, np.zeros(planes))]
    table = fits.BinTableHDU.from_columns([fits.Column(n, f, unit=u, array=a) for n, f, u, a in columns], name="BEAMS")
    table.header["NCHAN"], table.header["NPOL"] = planes, 1
    fits.append(path, table.data, table.header)


def peer(way, cube, out):
    """One way of convolve-rs, in this process.   returns planes and seconds"""
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np
    from astropy.io import fits
    from convolve_rs import Beam, smooth

    target, begin = Beam.from_arcsec(*TARGET), time.perf_counter()
    with fits.open(cube) as file:
        head, data, beams = file[0].header, file[0].data, file["BEAMS"].data
        own = [Beam.from_arcsec(float(b["BMAJ"]), float(b["BMIN"]), float(b["BPA"])) for b in beams]

        def smoothed(plane):
            return smooth(data[plane], own[plane], target, head["CDELT1"], head["CDELT2"])

        if way == "memory":
            data = np.array(data[:8], dtype=np.float32)
            begin = time.perf_counter()
            for plane in range(len(data)):
                smoothed(plane)
        elif way == "whole":
            result = np.empty(data.shape, np.float32)
            for plane in range(len(data)):
                result[plane] = smoothed(plane)
            fits.PrimaryHDU(result, head).writeto(out, overwrite=True)
            with open(out, "rb+") as written:
                os.fsync(written.fileno())
        else:
            first = head.tostring().encode()

            def one(plane, descriptor):
                os.pwrite(descriptor, smoothed(plane).astype(">f4").tobytes(), len(first) + plane * 4 * data[0].size)

            with open(out, "wb") as written, ThreadPoolExecutor(2 if way == "planes, 2 threads" else 1) as pool:
                written.write(first)
                written.flush()
                list(pool.map(lambda plane: one(plane, written.fileno()), range(len(data))))
                os.fsync(written.fileno())
        return len(data), time.perf_counter() - begin


def timed(call):
    """Seconds, processor seconds and MiB of a process, and what it printed; None where it failed."""
    begin = time.perf_counter()
    with subprocess.Popen(list(map(str, call)), stdout=subprocess.PIPE, text=True) as process:
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        return None
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reber")
    parser.add_argument("--before")
    parser.add_argument("--planes", type=int, default=64)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--folder")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--peer", choices=("yes", "no"), default="yes")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--make", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        make(options.make[0], int(options.make[1]), int(options.make[2]))
        return 0
    if options.one:
        planes, seconds = peer(*options.one)
        print(planes / seconds)
        return 0
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        cube, out = Path(folder, "cube.fits"), Path(folder, "out.fits")
        # In a process of its own: what this one has held would count as the memory of those that it starts.
        subprocess.run([sys.executable, __file__, "--make", cube, str(options.size), str(options.planes)], check=True)
        smooth = ["smooth", cube, "--to-beam", ",".join(map(str, TARGET)), "-o", folder, "--overwrite", "--backend", "cpu",
                  "--threads", options.threads, "--quiet"]
        ways = {"reber": [options.reber, *smooth]}
        if options.before:
            ways["reber before"] = [options.before, *smooth]
        for way in ("memory", "whole", "planes", "planes, 2 threads") if options.peer == "yes" else ():
            ways["convolve-rs, " + way] = [sys.executable, __file__, "--one", way, cube, out]
        runs, failed = {name: [] for name in ways}, False
        for _ in range(options.repeats):
            for name, call in ways.items():
                os.sync()
                run = timed(call)
                failed = failed or run is None
                if run:
                    planes = float(run[3]) if "memory" in name else options.planes / run[0]
                    runs[name].append((planes, run[1] / options.planes, run[2]))
        print("| way | planes a second | CPU s a plane | MiB |\n|---|---|---|---|")
        for name, values in runs.items():
            if values:
                rate, cpu, memory = (statistics.median(column) for column in zip(*values))
                print(f"| {name} | {rate:.1f} | {'-' if 'memory' in name else f'{cpu:.3f}'} | {memory:.0f} |")
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
