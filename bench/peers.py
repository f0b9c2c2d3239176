#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Other libraries on the same arrays as `reber bench`, in one run: CuPy, PyTorch, SciPy, OpenCV, astropy.

usage: peers.py --reber BIN [--size 4096] [--suite quick|full] [--only TEXT] [--libraries cupy,torch] [-- ...]
       peers.py --bench BENCH.json --sky SKY.fits ...
The second form takes a run of `reber bench --json ... --sky ...` that was made. What follows -- goes to reber bench.
writes: --json F (Reber's document with "peers" in its rows), --markdown F; prints the table.

Each time is the median wall clock until the result can be used, the array already where the library computes, caches
flushed before each run; the first run is not counted unless it is long. A library on the card is compared with Reber's
first backend, one on the host with its cpu backend; `x` is its wall clock over Reber's. Every result is checked against
Reber's values of the same row; one that differs is marked ! and makes the exit status 1. Work that a corner of the
image says would take longer than --limit seconds is not run: its expected time is printed with ~ and no ratio.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import peer_library
import peer_work
import table
from table import number

CORNER = 1024  # pixels on a side, at least a quarter of the image: what the cost is estimated from
SLOWER = 2  # a way that the corner shows to be slower than another by this factor is not run on the whole
# How far a peer's result may be from Reber's. Pixels: of the brightest one; float32 sums of the peers lose digits.
PIXELS, NUMBERS, COUNTS = 2e-5, 2e-3, 2e-3


def read_image(path):
    """Float32 pixels of a FITS file as `reber bench --sky` writes it."""
    with open(path, "rb") as file:
        cards, offset = {}, 0
        while True:
            block = file.read(2880).decode("ascii")
            offset += 2880
            for card in (block[i : i + 80] for i in range(0, 2880, 80)):
                if card[8:10] == "= ":
                    cards[card[:8].strip()] = card[10:].split("/")[0].strip()
            if any(block[i : i + 8] == "END     " for i in range(0, 2880, 80)):
                break
    if cards.get("BITPIX") != "-32":
        raise SystemExit(f"{path}: BITPIX {cards.get('BITPIX')}, expected -32")
    shape = int(cards["NAXIS2"]), int(cards["NAXIS1"])
    return np.memmap(path, dtype=">f4", mode="r", offset=offset, shape=shape).astype(np.float32)


def once(library, function, image):
    """Result and wall clock in ms of one run with flushed caches."""
    library.flush()
    start = time.perf_counter()
    result = function(image)
    library.wait()
    return result, 1e3 * (time.perf_counter() - start)


def agrees(result, values, brightest):
    """Whether what the peer found is what Reber found; false where a number is NaN."""
    for name, value in result.items():
        expected = values.get(name)
        if expected is None:
            continue
        if "," in name:
            bound = PIXELS * brightest
        else:
            scale = values.get("std", abs(expected)) if name in ("median", "mean") else abs(expected)
            bound = (COUNTS if name in ("islands", "pixels", "kept") else NUMBERS) * scale
        if not abs(value - expected) <= bound:
            return False
    return bool(result)


def time_way(library, function, prepare, image, best_ms, options):
    """Median of a few runs and the result, or an estimate where it would take too long."""
    # A copy: what is compiled for an array with gaps between its rows is not what the image needs.
    side = max(CORNER, image.shape[0] // 4)
    corner = image[:side, :side] + 0
    prepare(corner)
    once(library, function, corner)  # compiles
    _, small = once(library, function, corner)
    estimate = small * image.shape[0] * image.shape[1] / (corner.shape[0] * corner.shape[1])
    if estimate > 1e3 * options.limit or estimate > SLOWER * best_ms:
        return {"estimate_ms": estimate}
    prepare(image)
    result, first = once(library, function, image)
    samples = [first] if first > 500 * options.limit else []  # long enough for what is done once not to matter
    while len(samples) < options.repeat and sum(samples) < 1e3 * options.seconds:
        result, ms = once(library, function, image)
        samples.append(ms)
    return {"ms": float(np.median(samples)), "min": min(samples), "max": max(samples), "runs": len(samples),
            "estimate_ms": estimate, "result": result}


def time_row(library, row, image, clip, brightest, options):
    """The fastest of the library's ways; None where it has none."""
    values, found = row.get("values", {}), []
    for how, function in library.ways(row["operation"]):
        try:
            best_ms = min((one["estimate_ms"] for one in found if "estimate_ms" in one), default=float("inf"))
            one = time_way(library, function, lambda pixels: library.prepare(row["operation"], pixels, clip), image,
                           best_ms, options)
            if "ms" in one:
                result = one.pop("result")
                result = result if isinstance(result, dict) else peer_library.samples(result, values)
                one["agrees"] = agrees(result, values, brightest)
        except Exception as error:  # a peer that fails must not end the run
            one = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:120]}
        found.append({"how": how, **one})
        library.free()
    timed = [one for one in found if "ms" in one]
    if not timed:
        return found[0] if found else None
    best = min(timed, key=lambda one: one["ms"])
    best["others"] = [one for one in found if one is not best]
    return best


def run_library(name, image, document, options):
    """Adds row["peers"][name] to the rows of the backend that it is compared with."""
    library = peer_work.LIBRARIES[name]()
    backends = [backend["name"] for backend in document["backends"]]
    backend = backends[0] if library.device or "cpu" not in backends else "cpu"
    pixels, brightest = library.put(image), float(np.nanmax(np.abs(image)))
    rows = {row["operation"]: row for row in document["rows"] if row["backend"] == backend and "ms" in row}
    clip = rows.get("clip to convergence", {}).get("values")
    for operation, row in rows.items():
        if options.only and options.only not in operation:
            continue
        if time.monotonic() > options.until:
            print(f"  {name}: no time left for {operation} and what follows", file=sys.stderr)
            break
        found = time_row(library, row, pixels, clip, brightest, options)
        if found is None:
            continue
        if "ms" in found:
            found["ratio"] = found["ms"] / row["wall_ms"]["median"]
        row.setdefault("peers", {})[name] = found
        note = found.get("error") or (f"{found['ms']:.4g} ms" if "ms" in found else f"~{found['estimate_ms']:.3g} ms")
        print(f"  {name:<8} {operation:<26} {note}", file=sys.stderr, flush=True)
    document.setdefault("peers", {})[name] = {"version": library.version, "compared_with": backend}


def cells(row, name):
    """Time and ratio as text."""
    found = row.get("peers", {}).get(name)
    if found is None:
        return "-", ""
    if "error" in found:
        return "failed", ""
    if "ms" not in found:
        return "~" + number(found["estimate_ms"]), ""
    return number(found["ms"]) + ("" if found["agrees"] else " !"), number(found["ratio"])


def text_of(document):
    """One table a backend that peers were compared with."""
    text = []
    for backend in document["backends"]:
        names = [n for n, peer in document["peers"].items() if peer["compared_with"] == backend["name"]]
        rows = [row for row in document["rows"] if row["backend"] == backend["name"] and row.get("peers")]
        if not names or not rows:
            continue
        size, versions = document["size"], "; ".join(document["peers"][n]["version"] for n in names)
        text += ["", f"{backend['device']}, {size} x {size} pixels, wall clock in ms; {versions}", ""]
        lines = [["operation", f"Reber ({backend['name']})"] + [cell for n in names for cell in (n, "x")]]
        for row in rows:
            own = [row["operation"], number(row["wall_ms"]["median"])]
            lines.append(own + [cell for n in names for cell in cells(row, n)])
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        for line in lines:
            text.append(f"{line[0]:<{widths[0]}}" + "".join(f"  {c:>{w}}" for c, w in zip(line[1:], widths[1:])))
    return "\n".join(text)


def measure_reber(options, folder):
    """Runs `reber bench`; its document and its sky."""
    document, sky = os.path.join(folder, "bench.json"), os.path.join(folder, "sky.fits")
    command = [options.reber, "bench", "--size", str(options.size), "--suite", options.suite, "--json", document,
               "--sky", sky] + (["--only", options.only] if options.only else []) + options.rest
    status = subprocess.run(command, check=False).returncode
    if status not in (0, 1):
        raise SystemExit(f"reber bench failed with exit status {status}")
    return document, sky, status


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reber", default="reber", help="program to run; default: reber")
    parser.add_argument("--bench", help="document of a run already made (with --sky)")
    parser.add_argument("--sky", help="its image")
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--suite", default="quick", choices=("quick", "full"))
    parser.add_argument("--only", default="", help="operations with this in their name")
    parser.add_argument("--libraries", default=",".join(peer_work.LIBRARIES), help="which, comma-separated")
    parser.add_argument("--repeat", type=int, default=5, help="most runs of each")
    parser.add_argument("--seconds", type=float, default=1, help="no further run after this long")
    parser.add_argument("--limit", type=float, default=10, help="seconds that a single run may take")
    parser.add_argument("--budget", type=float, default=float("inf"), help="seconds for all peers together")
    parser.add_argument("--json", help="Reber's document with the peers in it")
    parser.add_argument("--markdown", help="the tables for a page")
    parser.add_argument("rest", nargs="*", help="after --: options of reber bench")
    options = parser.parse_args()
    if bool(options.bench) != bool(options.sky):
        parser.error("--bench and --sky belong together")
    unknown = set(options.libraries.split(",")) - set(peer_work.LIBRARIES)
    if unknown:
        parser.error(f"--libraries: unknown {', '.join(sorted(unknown))}; known: {', '.join(peer_work.LIBRARIES)}")
    return options


def main():
    options = parse()
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        bench, sky = options.bench, options.sky
        if not bench:
            bench, sky, status = measure_reber(options, folder)
        with open(bench, encoding="utf-8") as file:
            document = json.load(file)
        image = read_image(sky)
    options.until = time.monotonic() + options.budget
    for name in options.libraries.split(","):
        try:
            run_library(name, image, document, options)
        except ImportError as error:
            print(f"no {name}: {error}", file=sys.stderr)
    if "peers" not in document:
        raise SystemExit("none of the libraries is installed")
    print(text_of(document))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write(table.markdown(document))
    differs = [
        f"{name}: {row['operation']}"
        for row in document["rows"]
        for name, found in row.get("peers", {}).items()
        if found.get("agrees") is False
    ]
    for one in differs:
        print(f"another result: {one}", file=sys.stderr)
    return 1 if differs or status else 0


if __name__ == "__main__":
    sys.exit(main())
