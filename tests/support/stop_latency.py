#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long after SIGINT a command ends that works through a list of a million rows, regions or names.

usage: stop_latency.py REBER [--tries 40] [--rows 1000000] [--only NAME,...] [--most SECONDS]

Each try sends SIGINT at a random instant of the run. Told are the median and the longest wait, and the processor's
seconds after the signal, which do not depend on what else the machine does. Exit code 1 where a wait is above --most.
"""
import argparse
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

LONGEST_S = 20  # of a run before its signal
HALF_SIDE_DEG = 0.15  # of the image that make_image() makes, and less


def write_lines(path, first, lines):
    with open(path, "w", encoding="ascii") as file:
        file.write(first)
        file.writelines(line + "\n" for line in lines)


def make_lists(reber, rows):
    """The image and the lists in the folder of work; returns the commands by name."""
    draw = random.Random(3)
    cpu = ["--backend", "cpu", "-q"]
    subprocess.run([reber, "simulate", "sky.fits", "--size", "600", "--sources", "40", "--seed", "2"] + cpu, check=True)
    with open("sky.fits", "rb") as file:
        header = file.read(28800).decode("latin-1")
    cards = {header[i:i + 8].strip(): header[i + 10:i + 80].split("/")[0].strip() for i in range(0, 28800, 80)}
    lon0, lat0 = float(cards["CRVAL1"]), float(cards["CRVAL2"])
    half = min(HALF_SIDE_DEG, 290 * abs(float(cards["CDELT1"])))

    def on_image():
        return lon0 + draw.uniform(-half, half), lat0 + draw.uniform(-half, half)

    def on_sky():
        return draw.uniform(0, 360), draw.uniform(-60, 60)

    for name in ("a.csv", "b.csv"):
        write_lines(name, "Source_name,RA,DEC,Total_flux\n",
                    ("J%d,%.7f,%.7f,%.5f" % (i, *on_sky(), draw.uniform(0.1, 1)) for i in range(rows)))
    write_lines("at.csv", "Source_name,RA,DEC\n", ("J%d,%.7f,%.7f" % (i, *on_image()) for i in range(rows)))
    write_lines("c.vot", '<?xml version="1.0"?><VOTABLE version="1.3" xmlns="http://www.ivoa.net/xml/VOTable/v1.3">'
                '<RESOURCE><TABLE><FIELD name="RA" datatype="double" unit="deg" ucd="pos.eq.ra;meta.main"/>'
                '<FIELD name="DEC" datatype="double" unit="deg" ucd="pos.eq.dec;meta.main"/><DATA><TABLEDATA>\n',
                ("<TR><TD>%.7f</TD><TD>%.7f</TD></TR>" % on_sky() for _ in range(rows)))
    with open("c.vot", "a", encoding="ascii") as file:
        file.write("</TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>\n")
    write_lines("circles.reg", "fk5\n", ('circle(%.6f,%.6f,5")' % on_image() for _ in range(rows)))
    write_lines("polygons.reg", "image\n",
                ("polygon({0:.1f},{1:.1f},{2:.1f},{1:.1f},{0:.1f},{3:.1f})".format(x, y, x + 4, y + 4)
                 for x, y in ((draw.uniform(1, 600), draw.uniform(1, 600)) for _ in range(rows))))
    write_lines("circles.crtf", "#CRTFv0\n",
                ("circle[[%.6fdeg, %.6fdeg], 5arcsec], coord=J2000" % on_image() for _ in range(rows)))
    write_lines("cells.txt", "20/\n", (str(draw.randrange(12 << 40)) for _ in range(rows)))
    write_lines("names.txt", "", ("none%07d.fits" % i for i in range(rows)))
    search = ["find", "sky.fits", "-o", "o.csv", "--overwrite"] + cpu
    forced = ["measure", "sky.fits", "--at", "at.csv", "-o", "o.csv", "--overwrite"] + cpu
    return {
        "match csv": ["match", "a.csv", "b.csv", "-o", "o.csv", "--overwrite", "-q"],
        "match votable": ["match", "a.csv", "c.vot", "-o", "o.csv", "--overwrite", "-q"],
        "find circles": search + ["--search-region", "circles.reg"],
        "find polygons": search + ["--search-region", "polygons.reg"],
        "find crtf": search + ["--search-region", "circles.crtf"],
        "find moc": search + ["--search-moc", "cells.txt"],
        "measure": forced,
        "measure free": forced + ["--free", "position"],
        "run names": ["run", "@names.txt", "-o", "out", "--resume"] + cpu,
    }


def start(reber, words):
    return subprocess.Popen([reber] + words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            stdin=subprocess.DEVNULL, start_new_session=True,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))


def undisturbed_s(reber, words):
    """Seconds of a run, LONGEST_S at most."""
    begin = time.monotonic()
    process = start(reber, words)
    try:
        process.wait(timeout=LONGEST_S)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        process.wait()
        return LONGEST_S
    return time.monotonic() - begin


def one_wait(reber, words, instant_s):
    """Seconds to the end, of the clock and of the processor; empty where the run was over before."""
    process = start(reber, words)
    time.sleep(instant_s)
    with open("/proc/%d/stat" % process.pid, encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    if fields[0] == "Z":
        process.wait()
        return None
    before = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    sent = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, how, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(how)
    if process.returncode not in (0, 130, -signal.SIGINT):
        sys.exit("exit code %d at %.2f s of %s" % (process.returncode, instant_s, " ".join(words)))
    return time.monotonic() - sent, usage.ru_utime + usage.ru_stime - before


def main():
    options = argparse.ArgumentParser()
    options.add_argument("reber")
    options.add_argument("--tries", type=int, default=40)
    options.add_argument("--rows", type=int, default=1000000)
    options.add_argument("--only", default="")
    options.add_argument("--most", type=float, default=float("inf"))
    given = options.parse_args()
    reber, instants, bad = os.path.realpath(given.reber), random.Random(5), []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, words in make_lists(reber, given.rows).items():
            if given.only and name not in given.only.split(","):
                continue
            whole_s = undisturbed_s(reber, words)
            tries = (one_wait(reber, words, instants.uniform(0.02, 0.95 * whole_s)) for _ in range(given.tries))
            waits = sorted(wait for wait in tries if wait)
            if not waits:
                print("%s: every run was over before its signal" % name)
                continue
            used = [processor for _, processor in waits]
            print("%-14s %2d signals: median %.3f s, longest %.3f s; of the processor %.3f and %.3f s; load %.1f" %
                  (name, len(waits), statistics.median(wait for wait, _ in waits), waits[-1][0],
                   statistics.median(used), max(used), os.getloadavg()[0]), flush=True)
            if not waits[-1][0] <= given.most:
                bad.append(name)
        os.chdir("/")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
