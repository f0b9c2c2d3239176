#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Images larger than the card's share of memory: rates, peaks and overlap, beside the resident rate.

usage: large.py --reber BIN [--parts small,big,convolve,huge,cube,smooth] [--folder DIR] [--backend cuda|cpu]
                [--scale S] [--repeats N] [--json F] [--cards 1,2,4 [--seconds S]]
Images are made here: one stripe of noise with Gaussian sources, repeated. Of the largest, stripes stand apart in a
sparse file. --scale divides every side (for a trial on a small machine). A row gives the time of the stages (start of
the driver and exit left out), pixels a second, the same over that of the resident run of its group, bytes up over the
file's, the card's peak (REBER_CUDA_MEMORY), the process's, and of a trace how long blocks were read, were copied up,
and both at a time. Exit status 1 where a command failed, or a result differs from the resident one.
--cards: in place of these, images of 65536 and 100 000 pixels a side, full of sky, on so many cards of the host.
"""
import argparse
import concurrent.futures
import filecmp
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import cards

FWHM = 5.0  # pixels, of beam and sources
STRIPE = 1024  # rows made once
KERNEL = "gaussian:7"


def header(axes):
    cards = [("SIMPLE", "T"), ("BITPIX", "-32"), ("NAXIS", str(len(axes)))]
    cards += [(f"NAXIS{i + 1}", str(n)) for i, n in enumerate(axes)]
    pixel = 1 / 3600
    cards += [("CTYPE1", "'RA---SIN'"), ("CTYPE2", "'DEC--SIN'"), ("CRVAL1", "10.0"), ("CRVAL2", "-30.0"),
              ("CRPIX1", str(axes[0] / 2)), ("CRPIX2", str(axes[1] / 2)), ("CDELT1", repr(-pixel)), ("CDELT2", repr(pixel)),
              ("CUNIT1", "'deg'"), ("CUNIT2", "'deg'"), ("BUNIT", "'Jy/beam'"), ("BMAJ", repr(FWHM * pixel)),
              ("BMIN", repr(FWHM * pixel)), ("BPA", "0.0")]
    if len(axes) > 2:
        cards += [("CTYPE3", "'FREQ'"), ("CRVAL3", "1.4E9"), ("CRPIX3", "1.0"), ("CDELT3", "1.0E6"), ("CUNIT3", "'Hz'")]
    text = "".join(f"{key:<8}= {value:>20}".ljust(80) for key, value in cards) + "END".ljust(80)
    return text.ljust((len(text) + 2879) // 2880 * 2880).encode()


def stripe(nx, rows, seed):
    """Noise of 1e-4 with sources of 10 to 1000 sigma, one in 280 000 pixels, big-endian."""
    pixels = np.empty((rows, nx), np.float32)
    parts = np.array_split(np.arange(rows), min(os.cpu_count() or 1, 16, rows))

    def fill(k):
        generator = np.random.default_rng([seed, k])
        pixels[parts[k][0]:parts[k][-1] + 1] = generator.standard_normal((len(parts[k]), nx), np.float32) * np.float32(1e-4)

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(fill, range(len(parts))))
    generator = np.random.default_rng(seed)
    half = 15
    y, x = np.mgrid[-half:half + 1, -half:half + 1]
    for _ in range(max(rows * nx // 280000, 3)):
        cy, cx = generator.integers(half, rows - half), generator.integers(half, nx - half)
        peak, dy, dx = 1e-3 * 100 ** generator.random(), generator.random() - 0.5, generator.random() - 0.5
        shape = np.exp(-4 * np.log(2) / FWHM**2 * ((x - dx) ** 2 + (y - dy) ** 2))
        pixels[cy - half:cy + half + 1, cx - half:cx + half + 1] += (peak * shape).astype(np.float32)
    return pixels.byteswap()


def make(path, axes, every=1):
    """every: of so many stripes one is written, the others are holes."""
    began, head = time.time(), header(axes)
    nx, rows = axes[0], int(np.prod(axes[1:]))
    height = min(STRIPE, rows)
    block = memoryview(stripe(nx, height, 7)).cast("B")
    with open(path, "wb") as file:
        file.write(head)
        size = len(head) + rows * nx * 4
        file.truncate((size + 2879) // 2880 * 2880)

        def put(k):
            y = k * height
            some, at = block[:min(height, rows - y) * nx * 4], len(head) + y * nx * 4
            while len(some) > 0:
                done = os.pwrite(file.fileno(), some[:1 << 26], at)
                some, at = some[done:], at + done

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(put, range(0, (rows + height - 1) // height, every)))
    print(f"made {path.name}: {size / 1e9:.1f} GB in {time.time() - began:.1f} s", file=sys.stderr, flush=True)
    return path


def union(pieces):
    total, end, result = 0.0, -1.0, []
    for a, b in sorted(pieces):
        a = max(a, end)
        if b > a:
            total, end = total + b - a, b
            result.append((a, b))
    return total, result


def both(one, other):
    return union(one)[0] + union(other)[0] - union(list(one) + list(other))[0]


def overlap(path):
    """ms: blocks read, copied up, both at once, of the trace of a run; and blocks that were read at a time."""
    reads, copies, open_pieces = [], [], {}
    for event in json.loads(path.read_text())["traceEvents"]:
        if event["ph"] == "B":
            open_pieces.setdefault(event["tid"], []).append(event)
        elif event["ph"] == "E" and open_pieces.get(event["tid"]):
            begun = open_pieces[event["tid"]].pop()
            if begun["name"] == "read a block":
                reads.append((begun["ts"], event["ts"]))
        elif event["ph"] == "X" and event["name"] == "a block":
            copies.append((event["ts"], event["ts"] + event["dur"]))
    at_a_time = sum(end - begin for begin, end in reads) / max(union(reads)[0], 1e-9)
    return [value / 1e3 for value in (union(reads)[0], union(copies)[0], both(reads, copies))] + [at_a_time]


class Table:
    def __init__(self, arguments, folder):
        self.arguments, self.folder, self.rows, self.failed = arguments, folder, [], False

    def run(self, name, pixels, file_bytes, words, against=None, result=None, like=None, trace=False, wants_json=True):
        """against: the row whose rate is 1. result, like: files that must be the same. Returns the row."""
        report, traced = self.folder / "report.json", self.folder / "trace.json"
        command = [self.arguments.reber, *words, "--backend", self.arguments.backend, "--overwrite"]
        if wants_json:
            command += ["--json", str(report)]
        best = None
        for turn in range(self.arguments.repeats + (1 if trace else 0)):
            last = turn == self.arguments.repeats
            report.unlink(missing_ok=True)
            began = time.time()
            process = subprocess.Popen(command + (["--trace", str(traced)] if last else []), stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, env={**os.environ, "REBER_CUDA_MEMORY": "1"})
            text = process.stdout.read().decode(errors="replace")
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            seconds = time.time() - began
            row = {"name": name, "code": process.returncode, "wall_s": seconds, "host_mib": usage.ru_maxrss / 1024}
            cards = [float(line.split()[2]) for line in text.splitlines() if line.startswith("card memory:")]
            row["card_mib"] = max(cards, default=None)
            if process.returncode != 0 or (wants_json and not report.exists()):
                self.failed = True
                print(f"FAILED {' '.join(map(str, command))}\n{text[-1500:]}", file=sys.stderr, flush=True)
                best = row
                break
            row["stages_s"], row["uploads"], row["stages"], row["plan"] = seconds, None, "", ""
            if wants_json:
                document = json.loads(report.read_text())
                stages = document.get("stages") or []
                if stages:
                    row["stages_s"] = sum(stage["wall_ms"] for stage in stages) / 1e3
                    row["uploads"] = sum(stage["bytes_up"] for stage in stages) / file_bytes
                    row["stages"] = ", ".join(f"{stage['name']} {stage['wall_ms']:.0f}" for stage in stages)
                facts = document.get("facts") or {}
                row["plan"] = dict(facts).get("plan", "") if not isinstance(facts, dict) else facts.get("plan", "")
            row["gpx_s"] = pixels / row["stages_s"] / 1e9
            if last:
                best["overlap_ms"] = overlap(traced)
            elif best is None or row["stages_s"] < best["stages_s"]:
                best = row
        if against is not None and "gpx_s" in against and "gpx_s" in best:
            best["part"] = best["gpx_s"] / against["gpx_s"]
        if like is not None and best["code"] == 0:
            best["same"] = filecmp.cmp(result, like, shallow=False)
            self.failed = self.failed or not best["same"]
        self.rows.append(best)
        self.show(best)
        return best

    @staticmethod
    def show(row):
        def text(key, form):
            return form.format(row[key]) if row.get(key) is not None else "-"

        cells = [row["name"], text("wall_s", "{:.2f}"), text("stages_s", "{:.3f}"), text("gpx_s", "{:.2f}"), text("part", "{:.0%}"),
                 text("uploads", "{:.2f}"), text("card_mib", "{:.0f}"), text("host_mib", "{:.0f}"), text("same", "{}")]
        print("| " + " | ".join(cells) + " |", flush=True)
        if row.get("stages"):
            print(f"  stages, ms: {row['stages']}", flush=True)
        if row.get("plan"):
            print(f"  {row['plan']}", flush=True)
        if row.get("overlap_ms"):
            reads, copies, at_once, threads = row["overlap_ms"]
            print(f"  blocks read {reads:.0f} ms, copied up {copies:.0f} ms, both at once {at_once:.0f} ms: "
                  f"{at_once / max(min(reads, copies), 1e-9):.0%} of the shorter; {threads:.1f} read at a time", flush=True)


def parts(table, wanted, scale):
    folder = table.folder

    def side(n):
        return max(n // scale, 512)

    def memory(gib):
        return f"{max(int(gib * 1024 / scale**2), 160)}M"

    def find(image, output, *more):
        return ["find", image, "-o", output, "--fit", "none", *more]

    def capped(card, host):
        return ["--device-memory", memory(card), "--host-memory", f"{max(int(host * 1024), 1024)}M"]

    if "small" in wanted:
        n = side(12288)
        image = make(folder / "small.fits", (n, n))
        row = table.run(f"find {n}, resident", n * n, 4 * n * n, find(image, folder / "a.csv"))
        for card in (1, 0.25):
            table.run(f"find {n}, {memory(card)} of card", n * n, 4 * n * n,
                      find(image, folder / "b.csv", "--device-memory", memory(card)), row, folder / "b.csv", folder / "a.csv", True)
        table.run(f"find {n}, {memory(0.25)}, with fits", n * n, 4 * n * n,
                  ["find", image, "-o", folder / "c.csv", "--device-memory", memory(0.25)])
        image.unlink()
    if "big" in wanted or "convolve" in wanted:
        n = side(65536)
        image = make(folder / "big.fits", (n, n))
        if "big" in wanted:
            row = table.run(f"find {n}, resident", n * n, 4 * n * n, find(image, folder / "a.csv"))
            table.run(f"find {n}, {memory(2)} of card, 8 GB of host", n * n, 4 * n * n,
                      find(image, folder / "b.csv", *capped(2, 8)), row, folder / "b.csv", folder / "a.csv", True)
            table.run(f"find {n}, {memory(2)}, one pass", n * n, 4 * n * n,
                      find(image, folder / "c.csv", "--passes", "1", *capped(2, 8)))
        if "convolve" in wanted:
            words = ["convolve", image, folder / "a.fits", "--kernel", KERNEL]
            row = table.run(f"convolve {n}, resident", n * n, 4 * n * n, words)
            words[2] = folder / "b.fits"
            table.run(f"convolve {n}, {memory(2)} of card, 8 GB of host", n * n, 4 * n * n, words + capped(2, 8), row)
            table.rows[-1]["same"] = same_pixels(folder / "a.fits", folder / "b.fits", 4 * n * n)
            print(f"  pixels the same: {table.rows[-1]['same']}", flush=True)
            table.failed = table.failed or not table.rows[-1]["same"]
            for name in ("a.fits", "b.fits"):
                (folder / name).unlink(missing_ok=True)
        image.unlink()
    if "huge" in wanted:
        n = side(100000)
        image = make(folder / "huge.fits", (n, n), 8)
        table.run(f"find {n}, {memory(4)} of card, 8 GB of host", n * n, 4 * n * n, find(image, folder / "a.csv", *capped(4, 8)))
        image.unlink()
    if "cube" in wanted:
        n, planes = side(4096), 100
        image = make(folder / "cube.fits", (n, n, planes))
        table.run(f"find --planes all, {planes} of {n}", n * n * planes, 4 * n * n * planes,
                  find(image, folder / "a.csv", "--planes", "all"), wants_json=False)
        image.unlink()
    if "smooth" in wanted:
        n, planes = side(10240), 6
        image = make(folder / "smooth.fits", (n, n, planes))
        table.run(f"smooth, {planes} planes of {n}", n * n * planes, 4 * n * n * planes,
                  ["smooth", image, "--to-beam", "9,9,0", "-o", folder / "smoothed"], wants_json=False)
        shutil.rmtree(folder / "smoothed", ignore_errors=True)
        image.unlink()


def same_pixels(one, other, count):
    """Whether two files end in the same pixels; headers tell when and how they were made."""
    if not (one.exists() and other.exists()):
        return False
    with open(one, "rb") as a, open(other, "rb") as b:
        for file in (a, b):
            file.seek(0)
            while b"END" + b" " * 77 not in [file.read(80) for _ in range(36)]:
                pass
        while count > 0:
            some = min(count, 1 << 26)
            if a.read(some) != b.read(some):
                return False
            count -= some
    return True


def on_cards(arguments, folder):
    counts = [int(word) for word in arguments.cards.split(",")]
    try:
        table = cards.CardTable(arguments.reber, arguments.backend, counts, folder, max(arguments.repeats, 2), arguments.seconds)
        cards.large_images(table, make, [max(n // arguments.scale, 512) for n in (65536, 100000)])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(table.table(), flush=True)
    return 1 if table.failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--reber", required=True)
    parser.add_argument("--parts", default="small,big,convolve,huge,cube,smooth")
    parser.add_argument("--folder")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--json")
    parser.add_argument("--cards", help="counts, such as 1,2,4")
    parser.add_argument("--seconds", type=float, default=400, help="with --cards: when no further command begins")
    arguments = parser.parse_args()
    if arguments.folder:
        Path(arguments.folder).mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="reber-large-", dir=arguments.folder))
    if arguments.cards:
        return on_cards(arguments, folder)
    table = Table(arguments, folder)
    print("| run | wall s | stages s | Gpixel/s | of resident | uploads | card MiB | host MiB | same |", flush=True)
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    try:
        parts(table, arguments.parts.split(","), arguments.scale)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(table.rows, indent=1, default=str))
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main())
