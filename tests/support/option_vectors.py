#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random options on small images of awkward kinds: the same bytes, or the same refusal, from every way of computing.

    option_vectors.py REBER [--draws 200] [--seed 1] [--backends cpu,cuda] [--keep FOLDER]

A draw is a command, an image and up to six options with values inside their bounds, drawn from what `reber describe` says.
It runs with one thread, with three, with the processor's smallest vectors, and read in bands of two heights. All catalogues and maps must be the same
bytes, their headers' account of the run apart, and the exit code must be the same. The double-precision reference must find
the same sources, but for those at a threshold. A failure is shrunk to the options that it takes, and printed as a command
that repeats it. Exit code 1 where a draw failed.
"""
import argparse
import csv
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

BLOCK = 2880
PATIENCE_S, SLOW = 20, "for lack of patience"
# What a run says of itself. All else in a header must agree.
OWN_CARDS = (b"HISTORY", b"DATE", b"CHECKSUM", b"DATASUM", b"COMMENT")
# What cannot be drawn alone: files that do not exist here, and options that choose how to compute.
LEFT_OUT = {
    "input", "output", "planes", "plane", "hdu", "overwrite", "dry-run", "backend", "device", "threads", "device-memory", "host-memory",
    "share", "rank", "durable", "format", "columns", "patches", "check", "require-cage", "detection-image", "algorithm",
    "use-detection-mean", "use-detection-rms", "at", "search-mask", "search-moc", "psf-map", "mesh-maps",
}
WORDS = {  # values of options whose type says nothing of their grammar
    "scales": ["0,2", "0,1.5,4", "0b,1b"], "beam": ["6,5,30", "9,3,-60", "4,4,0"], "unit": ["Jy/beam", "mJy/beam"],
    "use-mean": ["0", "1e-4", "const"], "use-rms": ["1e-3", "const", "2e-4"], "search-region": ["image; circle(12,10,8)"],
    "kernel": ["gaussian:2", "gaussian:3.5", "box:5", "tophat:3", "ring:2,4"], "size": ["7", "9"],
}
WAYS = {  # of one backend: must agree to the byte
    "one thread": (["--threads", "1"], {}), "three threads": (["--threads", "3"], {}), "least vectors": (["--threads", "2"], {"REBER_CPU_VECTORS": "narrow"}),
    "least bands": (["--threads", "3"], {"REBER_HOST_BANDS": "1"}), "other bands": (["--threads", "1"], {"REBER_HOST_BANDS": "43"}),
}


def card(keyword, value):
    text = f"'{value:<8}'" if isinstance(value, str) else ("T" if value else "F") if isinstance(value, bool) else repr(value)
    return f"{keyword:<8}= {text:>20}".ljust(80).encode()


def fits(path, rows, bitpix, more):
    """rows: lists of numbers, NaN where blank."""
    ny, nx = len(rows), len(rows[0])
    cards = [card("SIMPLE", True), card("BITPIX", bitpix), card("NAXIS", 2), card("NAXIS1", nx), card("NAXIS2", ny)]
    values = [v for row in rows for v in row]
    if bitpix > 0:
        scale = 1e-6
        cards += [card("BSCALE", scale), card("BZERO", 0.0), card("BLANK", -32768)]
        values = [-32768 if math.isnan(v) else max(-32767, min(32767, round(v / scale))) for v in values]
    cards += [card(*one) for one in more] + [b"END".ljust(80)]
    header = b"".join(cards)
    data = struct.pack(f">{len(values)}{ {16: 'h', -32: 'f', -64: 'd'}[bitpix] }", *values)
    with open(path, "wb") as file:
        file.write(header.ljust(-(-len(header) // BLOCK) * BLOCK) + data.ljust(-(-len(data) // BLOCK) * BLOCK, b"\0"))


def draw_image(rng, path):
    """A sky of points in noise, spoilt in one or two ways."""
    nx, ny = rng.choice([(40, 33), (64, 48), (97, 61), (128, 31), (31, 128), (1, 50), (50, 1), (9, 9), (200, 120)])
    major, minor, angle = rng.choice([(4, 4, 0), (6, 3, 30), (9, 2.5, 110), (3, 2.5, 0), (12, 10, 75)])
    rms, base = 10 ** rng.uniform(-5, -3), rng.choice([0, 0, 1e-3, -5e-3])
    rows = [[base + rng.gauss(0, rms) for _ in range(nx)] for _ in range(ny)]
    s, c, k = math.sin(math.radians(angle)), math.cos(math.radians(angle)), 4 * math.log(2)
    for _ in range(rng.randint(0, 12)):
        x0, y0, peak = rng.uniform(-2, nx + 2), rng.uniform(-2, ny + 2), rms * 10 ** rng.uniform(.5, 2.5) * rng.choice([1, 1, 1, -1])
        for y in range(max(0, int(y0) - 25), min(ny, int(y0) + 26)):
            for x in range(max(0, int(x0) - 25), min(nx, int(x0) + 26)):
                u, v = -(x - x0) * s + (y - y0) * c, (x - x0) * c + (y - y0) * s
                rows[y][x] += peak * math.exp(-k * (u * u / major**2 + v * v / minor**2))
    nan = math.nan
    def frame(width):
        for y in range(ny):
            for x in range(nx):
                if min(x, y, nx - 1 - x, ny - 1 - y) < width: rows[y][x] = nan
    def circle():
        for y in range(ny):
            for x in range(nx):
                if math.hypot(x - nx / 2, y - ny / 2) > max(nx, ny) * .45: rows[y][x] = nan
    def constant():
        for y in range(ny // 3):
            for x in range(nx): rows[y][x] = base
    def zeros():
        for y in range(ny):
            for x in range(nx // 2): rows[y][x] = 0.0
    def spikes():
        for _ in range(6): rows[rng.randrange(ny)][rng.randrange(nx)] = rng.choice([1e3, -1e3, 1e-30, nan, math.inf]) * rng.choice([1, rms])
    def gradient():
        for y in range(ny):
            for x in range(nx): rows[y][x] += (x + 2 * y) * rms * .2
    def blank():
        for y in range(ny):
            for x in range(nx): rows[y][x] = nan
    def same():
        for y in range(ny):
            for x in range(nx): rows[y][x] = base
    for spoil in rng.sample([frame, circle, constant, zeros, spikes, gradient, lambda *_: None, lambda *_: None], 2):
        spoil(rng.randint(1, 8)) if spoil is frame else spoil()
    if rng.random() < .04: rng.choice([blank, same])()
    bitpix = rng.choice([-32, -32, -64, 16])
    if bitpix > 0: rows = [[v if math.isfinite(v) else nan for v in row] for row in rows]
    step = 2 / 3600
    sign = rng.choice([-1, -1, 1])
    more = [("CTYPE1", "RA---SIN"), ("CTYPE2", "DEC--SIN"), ("CRVAL1", 40.0), ("CRVAL2", rng.choice([-30.0, 5.0, 88.0])),
            ("CRPIX1", nx / 2 + .5), ("CRPIX2", ny / 2 + .5), ("CDELT1", sign * step), ("CDELT2", step), ("CUNIT1", "deg"),
            ("CUNIT2", "deg"), ("BUNIT", "Jy/beam"), ("RESTFRQ", 1.4e9)]
    if rng.random() < .9:
        more += [("BMAJ", major * step), ("BMIN", minor * step), ("BPA", float(angle if sign < 0 else -angle))]
    fits(path, rows, bitpix, more)


def draw_list(rng, path):
    """Places about the image's centre, some of them beside each other, some off the image."""
    with open(path, "w", encoding="ascii") as file:
        file.write("RA,DEC\n")
        ra, dec = 40.0, rng.choice([-30.0, 5.0, 88.0])
        for _ in range(rng.randint(1, 9)):
            if rng.random() < .7: ra, dec = 40 + rng.uniform(-.03, .03), dec + rng.uniform(-.01, .01)
            else: ra += rng.uniform(-1e-3, 1e-3)
            file.write(f"{ra:.7f},{dec:.7f}\n")


def options_of(reber, command):
    """(name, dtype, choices, low, high, open at low) of what can be drawn."""
    text = subprocess.run([reber, "describe", command], capture_output=True, text=True, check=True).stdout
    found = []
    for name, body in re.findall(r"^      ([a-z0-9-]+):\n((?:        .*\n)+)", text, re.M):
        info = (re.search(r'info: "(.*)"', body) or ["", ""])[1]
        dtype = (re.search(r"dtype: (.*)", body) or ["", "str"])[1]
        choices = re.findall(r'"([^"]*)"', (re.search(r"choices: (.*)", body) or ["", ""])[1])
        if name in LEFT_OUT or (dtype in ("File", "List[File]")) or (dtype == "str" and not choices and name not in WORDS): continue
        if "Union" in dtype and name not in WORDS: continue
        low, high, is_open = 0.0, 20.0, False
        if m := re.search(r"\(.*?(at least|above) ([\d.]+)\)$", info): low, is_open = float(m[2]), m[1] == "above"
        if m := re.search(r"\((?:.*?, )?([\d.]+) to ([\d.]+)\)$", info): low, high = float(m[1]), float(m[2])
        found.append((name, dtype, choices, low, high, is_open))
    if len(found) < 8: sys.exit(f"describe {command}: only {len(found)} options could be read")
    return found


def draw_value(rng, option):
    name, dtype, choices, low, high, is_open = option
    if name in WORDS: return rng.choice(WORDS[name])
    if choices: return rng.choice(choices)
    if dtype == "bool": return None
    if dtype == "int":
        value = rng.choice([int(low), int(low) + 1, rng.randint(int(low), int(min(high, low + 40))), int(low) + 6])
        return str(value | 1 if name == "filter" else min(value, int(high)) if high < 20 else value)
    if name == "threshold" or name == "flood": return f"{rng.uniform(1.5, 8):.3g}"
    value = rng.choice([low, low + .5 * (min(high, 5) - low), rng.uniform(low, min(high, 8))])
    return f"{max(value, 1e-3) if is_open else value:.4g}"


def comparable(path):
    """The bytes that must agree."""
    with open(path, "rb") as file: data = file.read()
    if not path.endswith((".fits", ".fz")): return data
    out, at = [], 0
    while at < len(data):
        end = data.find(b"END".ljust(80), at)
        while end >= 0 and (end - at) % 80: end = data.find(b"END".ljust(80), end + 1)
        if end < 0: break
        cards = [data[i:i + 80] for i in range(at, end, 80)]
        out += [c for c in cards if not c.startswith(OWN_CARDS)]
        value = {c[:8].strip(): c[10:30].strip() for c in cards if c[8:9] == b"="}
        size = abs(int(value.get(b"BITPIX", 0))) // 8 * int(value.get(b"GCOUNT", 1))
        count = int(value.get(b"PCOUNT", 0))
        pixels = 1 if int(value.get(b"NAXIS", 0)) else 0
        for axis in range(1, int(value.get(b"NAXIS", 0)) + 1): pixels *= int(value[f"NAXIS{axis}".encode()])
        begin = -(-(end + 80) // BLOCK) * BLOCK
        after = begin + -(-size * (pixels + count) // BLOCK) * BLOCK
        out.append(data[begin:after])
        at = after
    return b"".join(out)


class Draws:
    def __init__(self, reber, folder):
        self.reber, self.folder, self.runs = reber, folder, 0

    def run(self, command, image, options, how, outputs, more=None):
        """(exit code, {file: bytes}, last line of stderr)"""
        where = os.path.join(self.folder, "out")
        shutil.rmtree(where, ignore_errors=True)
        os.mkdir(where)
        line = [self.reber, command, image, *outputs, *options, *how]
        self.runs += 1
        try:
            done = subprocess.run(line, cwd=where, capture_output=True, text=True, timeout=PATIENCE_S, env={**os.environ, **(more or {})})
        except subprocess.TimeoutExpired:
            return SLOW, {}, ""
        files = {name: comparable(os.path.join(where, name)) for name in sorted(os.listdir(where))}
        if done.returncode == 0 and os.path.exists(os.path.join(where, "o.csv")):
            with open(os.path.join(where, "o.csv"), encoding="ascii") as file: self.rows = list(csv.DictReader(l for l in file if not l.startswith("#")))
        return done.returncode, files, (done.stderr.strip().split("\n") or [""])[-1]

    def wrong(self, command, image, options, outputs, backends):
        """Why the draw fails, or None."""
        first, first_rows = None, []
        for backend in backends:
            for way, (how, more) in WAYS.items():
                self.rows = []
                got = self.run(command, image, options, ["--backend", backend, *how], outputs, more)
                if got[0] not in (0, 2, 3): return f"{backend}, {way}: exit {got[0]}: {got[2]}"
                if got[0] != 0 and not got[2]: return f"{backend}, {way}: exit {got[0]} without a word"
                if got[0] != 0 and got[1]: return f"{backend}, {way}: exit {got[0]}, but {', '.join(got[1])} is there"
                if first is None: first, first_rows = got, self.rows
                if got[0] != first[0]: return f"{backend}, {way}: exit {got[0]} ({got[2]}), not {first[0]} ({first[2]})"
                if got[1].keys() != first[1].keys(): return f"{backend}, {way}: other files"
                for name, data in got[1].items():
                    if data != first[1][name]: return f"{backend}, {way}: {name} differs"
        for row in first_rows:
            for column in ("RA", "DEC", "Peak_flux", "E_Peak_flux") + (("E_RA", "E_DEC") if command == "find" else ()):
                value = float(row.get(column) or "nan")
                if command == "find" and column.startswith("E_") and value == 0: return f"a row has {column} 0"
                if not math.isfinite(value) and int(row.get("Flag", "0") or 0) == 0: return f"a row has {column} {row.get(column)!r} and Flag 0"
        self.rows = []
        oracle = self.run(command, image, options, ["--backend", "reference"], outputs)
        if oracle[0] == SLOW: return None  # it is plain, and wide kernels take it long
        if oracle[0] != first[0]: return f"reference: exit {oracle[0]} ({oracle[2]}), not {first[0]} ({first[2]})"
        return disagreement(first_rows, self.rows, float(dict(zip(options, options[1:])).get("--threshold", 5)))


def disagreement(ours, theirs, threshold):
    """Rows of the reference that differ by more than single precision explains."""
    def number(row, column): return float(row.get(column) or "nan")
    left = list(theirs)
    for row in ours:
        loose = .1 if row.get("Flag") == "0" else 1  # a pixel at the threshold is part of a flagged row, or is not
        near = [r for r in left if all(abs(number(r, axis) - number(row, axis)) < max(3e-5, loose * number(row, "E_" + axis)) for axis in ("RA", "DEC"))]
        same = [r for r in near if r.get("Total_flux") == row.get("Total_flux") or
                abs(number(r, "Total_flux") - number(row, "Total_flux")) <= .05 * max(number(row, "E_Total_flux"), number(row, "E_Peak_flux"), 1e-3 * abs(number(row, "Total_flux")))]
        if not same:
            snr = number(row, "SNR")
            if abs(snr / threshold - 1) > .01 and len(ours) == len(theirs): return f"reference: no row like {row.get('Source_id')} (S/N {snr:.2f})"
            continue
        left.remove(same[0])
    return f"reference: {len(theirs)} rows, not {len(ours)}" if abs(len(ours) - len(theirs)) > 1 + len(ours) // 10 else None


def shrink(draws, command, image, chosen, outputs, backends, why):
    """The fewest of the options with which the draw still fails."""
    again = True
    while again:
        again = False
        for option in list(chosen):
            fewer = [o for o in chosen if o is not option]
            now = draws.wrong(command, image, [word for o in fewer for word in o], outputs, backends)
            if now: chosen, why, again = fewer, now, True
    return chosen, why


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("reber")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--backends", default="cpu")
    parser.add_argument("--keep", help="folder for the images of failures")
    args = parser.parse_args()
    reber, backends = os.path.abspath(args.reber), args.backends.split(",")
    table = {command: options_of(reber, command) for command in ("find", "background", "convolve", "measure")}
    outputs = {
        "find": ["-o", "o.csv", "-o", "o.fits", "--write-rms", "r.fits", "--write-residual", "s.fits", "--write-labels", "l.fits"],
        "background": ["--write-mean", "m.fits", "--write-rms", "r.fits"], "convolve": ["c.fits"],
        "measure": ["--at", "../list.csv", "-o", "o.csv", "-o", "o.fits"],
    }
    failures, codes = 0, {}
    with tempfile.TemporaryDirectory() as folder:
        draws = Draws(reber, folder)
        for number in range(args.draws):
            rng = random.Random(args.seed * 1000003 + number)
            image = os.path.join(folder, "image.fits")
            draw_image(rng, image)
            command = rng.choice(["find"] * 4 + ["background", "convolve", "measure"])
            draw_list(rng, os.path.join(folder, "list.csv"))
            chosen = []
            for option in rng.sample(table[command], rng.randint(0, 6)):
                value = draw_value(rng, option)
                chosen.append([f"--{option[0]}"] if value is None else [f"--{option[0]}", value])
            if command == "convolve" and not any(o[0] in ("--kernel", "--to-beam") for o in chosen): chosen.append(["--kernel", "gaussian:2"])
            why = draws.wrong(command, image, [word for o in chosen for word in o], outputs[command], backends)
            if not why: continue
            failures += 1
            chosen, why = shrink(draws, command, image, chosen, outputs[command], backends, why)
            print(f"seed {args.seed} draw {number}: {why}\n  reber {command} IMAGE {' '.join(word for o in chosen for word in o)}", flush=True)
            if args.keep:
                os.makedirs(args.keep, exist_ok=True)
                shutil.copy(image, os.path.join(args.keep, f"{args.seed}_{number}.fits"))
    print(f"{args.draws} draws, {draws.runs} runs: {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
