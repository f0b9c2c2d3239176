#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whole programs, from file to files, each beside its floor of the same run.

usage: programs.py --reber BIN [--backend auto|cuda|cpu] [--sizes 2048,16384] [--seconds 280] [--repeats 5] [--folder DIR]
                   [--tile-compress BIN] [--json F] [--markdown F] [--proof] [--cards 1,2,4]
Skies are simulated first (three densities of sources at each size), outside the budget of --seconds. Repeats of a row go
on until --repeats are there or the budget is spent; a row that no time is left for says so. Commands of one size are
interleaved with their floors. Exit status 1 where a command failed.

floors: `start` is what a process needs that makes a CUDA context, 1 GiB on the card and 64 MiB of locked memory, and
does nothing (by libcuda, the interpreter's own time taken off); 0 where there is no card. `dd` writes as many bytes as the
row's command wrote to the same folder, and syncs them where the command does. `read` is the input read once by `dd`, which
is no floor beside the others but within `run`.

--proof: in place of the sizes and densities other rows, each by name: 18000 x 18000 with 17 400 sources (some 10 s to
simulate on 16 cores); ten and ten thousand sources on 16384 x 16384; a grid with wavelets and the chain of operations on a plane that
stays on the card, both at 2048 x 2048; and, last, 1000 images of 2048 x 2048 (--batch says how many) with each kind of
product. With --repeats 1 within ten minutes; --seconds bounds it.

--cards: in place of all that batches on so many cards of the host, 128 images of 8192 x 8192 and 1000 of 2048 x 2048, with
lanes by hand beside the default. --batch: so many of the small ones, an eighth as many of the large.

Rice tiles: the sky of few sources once more as RICE_1 with quantised floats, by fpack (Debian: libcfitsio-bin) or, where there is none, by
--tile-compress BIN IN OUT rice; without either those rows are left out, and it is said.
"""
import argparse
import concurrent.futures
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cards

DENSITIES = {"few": 40, "some": 400, "many": 4000}  # sources per 2048 x 2048 pixels, before those too faint to be found
BARE = """
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
def call(code): assert code == 0, code
context, device, host = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_void_p()
call(cuda.cuInit(0))
call(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
call(cuda.cuCtxSetCurrent(context))
call(cuda.cuMemAlloc_v2(ctypes.byref(device), ctypes.c_size_t(1 << 30)))
call(cuda.cuMemHostAlloc(ctypes.byref(host), ctypes.c_size_t(64 << 20), 0))
"""


def wall(command, **options):
    """Seconds of a process, or None where it failed."""
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        print(f"failed ({done.returncode}): {' '.join(map(str, command))}\n{done.stderr[-800:]}", file=sys.stderr)
        return None
    return time.perf_counter() - begin


def bytes_in(folder):
    return sum(one.stat().st_size for one in Path(folder).rglob("*") if one.is_file())


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, Path(folder)
        self.rows, self.failed, self.started = [], False, time.perf_counter()

    def left(self):
        return self.options.seconds - (time.perf_counter() - self.started)

    def reber(self, *arguments):
        return wall([self.options.reber, *map(str, arguments)])

    def sky(self, size, density):
        return self.counted(size, max(DENSITIES[density] * size * size // 2048**2, 1), f"{density}_{size}.fits")

    def counted(self, size, count, name=None):
        """A sky of so many sources, before those too faint to be found."""
        path = self.folder / (name or f"{size}_of_{count}.fits")
        if not path.exists() and self.reber("simulate", path, "--size", size, "--sources", count, "--seed", 5) is None:
            sys.exit("no sky to measure on")
        return path

    def finds(self, sky, label):
        """`find` without and with fits."""
        out = self.folder / "out"
        for name, chosen in (("moments", ["--fit", "none"]), ("fits", [])):
            self.measure(f"find, {name}: {label}", ["find", sky, "-o", out / "a.csv", "--json", out / "r.json", *chosen], out,
                         "r.json", source=sky)

    def chain(self, size):
        """The chain of operations on a plane that stays on the card: reber bench's row, in place of a process."""
        target = self.folder / "bench.json"
        chosen = [] if self.options.backend == "auto" else ["--backend", self.options.backend]
        if self.reber("bench", "--size", size, "--only", "clip + label + measure", "--json", target, *chosen) is None:
            self.failed = True
            return
        for row in json.loads(target.read_text())["rows"]:
            if row["operation"] == "clip + label + measure":
                print(f"{row['operation']}, {row['backend']}, resident: {size} x {size}: {row['ms']:.3f} ms, "
                      f"wall {row['wall_ms']['median']:.3f} ms", flush=True)

    def proof(self, count):
        field, small, out = self.counted(18000, 17400), self.sky(2048, "few"), self.folder / "out"
        few, many = self.counted(16384, 10), self.counted(16384, 10000)
        self.started = time.perf_counter()
        self.finds(field, "18000 x 18000, 17400 sources")
        self.measure("run: 18000 x 18000, 17400 sources", ["run", field, "-o", out], out, "*_report.json")
        self.finds(few, "16384 x 16384, ten sources")
        self.finds(many, "16384 x 16384, ten thousand sources")
        self.measure("find, grid 150/50, three wavelets: 2048 x 2048, few",
                     ["find", small, "-o", out / "a.csv", "--background", "grid", "--box", "150", "--step", "50", "--wavelets",
                      "3", "--json", out / "r.json"], out, "r.json", source=small)
        self.chain(2048)
        self.batch(count, 2048, every_fit=True)

    def start(self):
        """Seconds of a bare process with a context, without the interpreter's."""
        empty = wall([sys.executable, "-S", "-c", "import ctypes"])
        done = subprocess.run([sys.executable, "-S", "-c", "import ctypes; ctypes.CDLL('libcuda.so.1').cuInit(0) == 0 or exit(1)"],
                              capture_output=True, check=False)
        if self.options.backend == "cpu" or done.returncode != 0:
            return 0.0
        bare = wall([sys.executable, "-S", "-c", BARE])
        return max(bare - empty, 0.0) if bare is not None and empty is not None else 0.0

    def dd(self, count, synced):
        target = self.folder / "dd.out"
        target.unlink(missing_ok=True)
        seconds = wall(["dd", "if=/dev/zero", f"of={target}", "bs=8M", f"count={max(count, 1)}", "iflag=count_bytes",
                        *(["conv=fsync"] if synced else [])])
        target.unlink(missing_ok=True)
        return seconds

    def read(self, path):
        """Seconds in which dd reads a file once."""
        return wall(["dd", f"if={path}", "of=/dev/null", "bs=8M"])

    def packed(self, sky):
        """The sky in Rice tiles; None where nothing packs it."""
        path = sky.with_suffix(".fits.fz")
        if path.exists():
            return path
        own, fpack = self.options.tile_compress, shutil.which("fpack")
        if own:
            command = [own, sky, path, "rice"]
        elif fpack:
            command = [fpack, "-r", "-q", "4", "-O", path, sky]
        else:
            return None
        return path if wall(list(map(str, command))) is not None else None

    def measure(self, name, command, out, report=None, synced=True, source=None):
        """A row: walls of the process, of its run by its own report, and of the floors, interleaved.   source: of its bytes"""
        row = {"name": name, "process": [], "run": [], "stages": {}, "start": [], "dd": [], "read": []}
        self.rows.append(row)
        for _ in range(self.options.repeats):
            if self.left() < 0 or (row["process"] and self.left() < 2 * max(row["process"])):
                break
            shutil.rmtree(out, ignore_errors=True)
            out.mkdir()
            seconds = wall([self.options.reber, *map(str, command), "--backend", self.options.backend])
            if seconds is None:
                self.failed = True
                break
            row["process"].append(seconds)
            row["bytes"] = bytes_in(out)
            found = sorted(out.glob(report)) if report else []
            if len(found) == 1:
                document = json.loads(found[0].read_text())
                row["run"].append(document["wall_ms"] * 1e-3)
                for stage in document["stages"]:
                    row["stages"].setdefault(stage["name"], []).append(stage["wall_ms"] * 1e-3)
            row["start"].append(self.start())
            row["dd"].append(self.dd(row["bytes"], synced) or 0.0)
            if source is not None:
                row["read"].append(self.read(source) or 0.0)
        shutil.rmtree(out, ignore_errors=True)
        self.tell(row)

    def tell(self, row):
        if not row["process"]:
            print(f"{row['name']}: not measured, no time was left", flush=True)
            return
        for key in ("process", "run", "start", "dd", "read"):
            row[key + "_ms"] = 1e3 * statistics.median(row[key]) if row[key] else None
        row["stage_ms"] = {name: 1e3 * statistics.median(values) for name, values in row["stages"].items()}
        floor = row["start_ms"] + row["dd_ms"]
        row["above_ms"] = row["process_ms"] - floor
        run = f"{row['run_ms']:.0f}" if row["run_ms"] is not None else "-"
        stages = " ".join(f"{name} {ms:.1f}" for name, ms in row["stage_ms"].items())
        read = f", read {row['read_ms']:.0f}" if row["read_ms"] is not None else ""
        print(f"{row['name']}: process {row['process_ms']:.0f} ms (start {row['start_ms']:.0f}, dd {row['dd_ms']:.0f}{read}), "
              f"run {run} ms: {stages}", flush=True)

    def image(self, size, density):
        sky, out = self.sky(size, density), self.folder / "out"
        label = f"{size} x {size}, {density}"
        self.measure(f"find, moments: {label}", ["find", sky, "-o", out / "a.csv", "--fit", "none", "--json", out / "r.json"],
                     out, "r.json", source=sky)
        if density == "few" and (packed := self.packed(sky)):
            self.measure(f"find, moments, Rice tiles: {label}",
                         ["find", packed, "-o", out / "a.csv", "--fit", "none", "--json", out / "r.json"], out, "r.json",
                         source=packed)
        self.measure(f"find, fits: {label}", ["find", sky, "-o", out / "a.csv", "--json", out / "r.json"], out, "r.json",
                     source=sky)
        self.measure(f"run: {label}", ["run", sky, "-o", out], out, "*_report.json")
        self.measure(f"run, --durable no: {label}", ["run", sky, "-o", out, "--durable", "no"], out, "*_report.json",
                     synced=False)

    def others(self, size):
        sky, out = self.sky(size, "few"), self.folder / "out"
        label = f"{size} x {size}"
        self.measure(f"run, --no-compress: {label}", ["run", sky, "-o", out, "--no-compress"], out, "*_report.json")
        self.measure(f"convolve gaussian:5: {label}",
                     ["convolve", sky, out / "c.fits", "--kernel", "gaussian:5", "--json", out / "r.json"], out, "r.json")

    def batch(self, count, size, every_fit=False):
        sky, out = self.sky(size, "few"), self.folder / "out"
        names = self.folder / "list"
        if not names.exists():
            names.mkdir()
            for i in range(count):
                os.link(sky, names / f"image_{i:04d}.fits")
        kinds = {"catalogues": ["--products", "csv", "--fit", "none"], "default products": []}
        if every_fit:
            kinds = {"catalogues": kinds["catalogues"], "catalogues with fits": ["--products", "csv"], "default products": []}
        for kind, chosen in kinds.items():
            for lanes in ("auto",) if every_fit else ("1", "auto"):
                self.measure(f"batch of {count}, {kind}, lanes {lanes}: {size} x {size}",
                             ["run", str(names / "*.fits"), "-o", out, "--lanes", lanes, *chosen], out)

    def table(self):
        lines = ["| what | process | run | start | dd of its bytes | above both | read | MB written |", "|---|---|---|---|---|---|---|---|"]
        for row in self.rows:
            if not row["process"]:
                lines.append(f"| {row['name']} | no time was left | | | | | | |")
                continue
            run = f"{row['run_ms']:.1f}" if row["run_ms"] is not None else "-"
            read = f"{row['read_ms']:.0f}" if row["read_ms"] is not None else "-"
            lines.append(f"| {row['name']} | {row['process_ms']:.0f} | {run} | {row['start_ms']:.0f} | {row['dd_ms']:.0f} | "
                         f"{row['above_ms']:.0f} | {read} | {row['bytes'] / 1e6:.1f} |")
        return "\n".join(lines) + "\n"


    def end(self):
        """Writes what was measured.   returns the exit status"""
        print("\nmilliseconds, medians\n\n" + self.table())
        if self.options.json:
            Path(self.options.json).write_text(json.dumps({"reber": self.options.reber, "rows": self.rows}, indent=1))
        if self.options.markdown:
            Path(self.options.markdown).write_text(self.table())
        return 1 if self.failed else 0


def copies(reber, folder, size, count):
    """So many files of one sky, each with bytes of its own."""
    first = folder / f"s{size}_0000.fits"
    wall([reber, "simulate", str(first), "--size", str(size), "--sources", str(40 * size * size // 2048**2), "--seed", "5"])
    paths = [first] + [folder / f"s{size}_{k:04d}.fits" for k in range(1, count)]
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda path: shutil.copyfile(first, path), paths[1:]))
    return paths


def on_cards(options, folder):
    counts, small = [int(word) for word in options.cards.split(",")], options.batch or 1000
    table = cards.CardTable(options.reber, options.backend, counts, folder, options.repeats, options.seconds)
    kinds = {"csv": ["--products", "csv", "--fit", "none"], "csv with fits": ["--products", "csv"], "default products": []}
    for size, count, lanes in ((8192, max(small // 8 + 3 & ~3, 4), (4, 6, 8, 12, 16)), (2048, small, (8, 16))):
        paths = copies(options.reber, folder, size, count)
        cards.batches(table, (paths, f"{count} x {size}^2"), kinds, lanes)
        for path in paths:
            path.unlink()
    print(table.table(), flush=True)
    return 1 if table.failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reber", required=True)
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--sizes", default="2048,4096,16384")
    parser.add_argument("--batch", type=int, help="images of the batches; default 100, with --proof 1000")
    parser.add_argument("--seconds", type=float, default=280)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--folder")
    parser.add_argument("--tile-compress")
    parser.add_argument("--json")
    parser.add_argument("--markdown")
    parser.add_argument("--proof", action="store_true")
    parser.add_argument("--cards", help="counts, such as 1,2,4")
    options = parser.parse_args()
    options.reber = str(Path(options.reber).resolve())
    if options.folder:
        os.makedirs(options.folder, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        sizes = [int(word) for word in options.sizes.split(",")]
        if options.cards:
            return on_cards(options, Path(folder))
        bench = Bench(options, folder)
        images = options.batch if options.batch is not None else 1000 if options.proof else 100
        if options.proof:
            bench.proof(images)
            return bench.end()
        for size in sizes:
            for density in DENSITIES:
                bench.sky(size, density)
            if bench.packed(bench.sky(size, "few")) is None:
                print(f"{size} x {size}: no program packs it: no row for Rice tiles", flush=True)
        bench.started = time.perf_counter()
        bench.image(sizes[-1], "few")
        bench.others(sizes[-1])
        bench.image(sizes[0], "few")
        if images:
            bench.batch(images, sizes[0])
        for size in sizes:
            for density in DENSITIES:
                if (size, density) not in ((sizes[0], "few"), (sizes[-1], "few")):
                    bench.image(size, density)
        return bench.end()


if __name__ == "__main__":
    sys.exit(main())
