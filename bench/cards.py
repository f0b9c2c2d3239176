# SPDX-License-Identifier: BSD-3-Clause
"""Commands on one card of a host and on several, beside what the host allows: for large.py --cards and programs.py --cards.

With --backend cpu a "card" of one image is one of several cpu backends (REBER_CPU_PARTS), of a batch a worker process.
"""
import filecmp
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

COPY = """
import ctypes, sys, time
cuda = ctypes.CDLL("libcuda.so.1")
def call(code): assert code == 0, code
context, device, host, size = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_void_p(), 256 << 20
call(cuda.cuInit(0))
call(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), int(sys.argv[1])))
call(cuda.cuCtxSetCurrent(context))
call(cuda.cuMemAlloc_v2(ctypes.byref(device), ctypes.c_size_t(size)))
call(cuda.cuMemHostAlloc(ctypes.byref(host), ctypes.c_size_t(size), 0))
ctypes.memset(host, 1, size)
call(cuda.cuMemcpyHtoD_v2(device, host, ctypes.c_size_t(size)))
print("ready", flush=True)
sys.stdin.readline()
began = time.perf_counter()
for _ in range(40): call(cuda.cuMemcpyHtoD_v2(device, host, ctypes.c_size_t(size)))
print(40 * size / (time.perf_counter() - began) / 1e9, flush=True)
"""


def cards_here(backend):
    """How many there are."""
    if backend == "cpu":
        return 64
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False)
    return sum(line.startswith("GPU ") for line in listed.stdout.splitlines())


def copy_rates(count):
    """GB/s from locked memory to each of so many cards, all at the same time; none where that cannot be measured."""
    processes = [subprocess.Popen([sys.executable, "-S", "-c", COPY, str(k)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True) for k in range(count)]
    ready = [process.stdout.readline().strip() == "ready" for process in processes]
    said = []
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        said.append(process.stdout.readline().strip())
        process.stdin.close()
        process.wait(timeout=60)
    return [float(word) for word in said if word] if all(ready) else []


def dd_rate(paths, processes):
    """GB/s at which so many dd read these files once between them."""
    jobs, blocks = [], 1 << 22
    if len(paths) == 1:
        each = os.path.getsize(paths[0]) // blocks // processes
        jobs = [f"dd if='{paths[0]}' of=/dev/null bs={blocks} skip={k * each} count={each} status=none" for k in range(processes)]
    else:
        for k in range(processes):
            own = " ".join(f"'{path}'" for path in paths[k::processes])
            if own:
                jobs.append(f"for f in {own}; do dd if=$f of=/dev/null bs={blocks} status=none; done")
    began = time.perf_counter()
    running = [subprocess.Popen(["bash", "-c", job]) for job in jobs]
    for one in running:
        one.wait()
    return sum(os.path.getsize(path) for path in paths) / (time.perf_counter() - began) / 1e9


class CardTable:
    """Runs commands with each count of cards; prints lines as they come, and a table at the end."""

    def __init__(self, reber, backend, counts, folder, repeats, seconds):
        here = cards_here(backend)
        self.counts = [count for count in counts if count <= here] or [1]
        self.reber, self.backend, self.folder, self.repeats = reber, backend, Path(folder), repeats
        self.ends, self.rows, self.failed, self.starts = time.monotonic() + seconds, [], False, {}
        self.say_host(here)

    def say_host(self, here):
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
        print(f"host: {os.cpu_count()} threads, {memory:.0f} GiB; {here} cards; table for {self.counts}", flush=True)
        if self.backend != "cpu":
            for line in self.run(["--devices"], 60)[3].splitlines():
                print(f"  {line}", flush=True)

    def left(self):
        return self.ends - time.monotonic()

    def run(self, words, limit, environment=None):
        """Seconds of the process, of its and its children's user and system time, and what it said. None where it failed."""
        command = ["timeout", "-k", "5", str(int(limit)), self.reber, *map(str, words)]
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   env={**os.environ, **(environment or {})})
        text = process.stdout.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            self.failed = True
            print(f"FAILED ({process.returncode}): {' '.join(command)}\n{text[-600:]}", flush=True)
            return None, 0, 0, text
        return seconds, usage.ru_utime, usage.ru_stime, text

    def cards(self, count, batch=False):
        """Words and environment that choose so many cards."""
        if self.backend == "cpu":
            return (["--workers", count], {}) if batch else ([], {"REBER_CPU_PARTS": str(count)})
        if batch and count == 1:
            return ["--device", "0"], {}
        return ["--devices", ",".join(map(str, range(count)))], {}

    def start(self, count):
        """Seconds in which so many cards start: those of a search in next to nothing."""
        if count not in self.starts:
            tiny = self.folder / "tiny.fits"
            if not tiny.exists():
                self.run(["simulate", tiny, "--size", 300, "--sources", 5, "--backend", "cpu", "-q"], 30)
            words, environment = self.cards(count)
            walls = [self.run(["find", tiny, "--fit", "none", "--backend", self.backend, "-q", *words], 60, environment)[0]
                     for _ in range(3)]
            self.starts[count] = min((wall for wall in walls if wall is not None), default=0.0)
            print(f"start of {count}: {self.starts[count]:.2f} s", flush=True)
        return self.starts[count]

    def row(self, name, gigabytes, words, result, more=(), batch=False, limit=60, counts=None, repeats=None):
        """words(count): of the command, which writes `result`(count); results must have the same bytes.
        more: words of the command beside those that choose the cards"""
        row, first = {"name": name}, None
        for count in counts or self.counts:
            chosen, environment = self.cards(count, batch)
            start, best = self.start(count), None
            for _ in range(repeats or self.repeats):
                if self.left() < (2 * best[0] if best else 5):
                    break
                taken = self.run([*words(count), *more, "--backend", self.backend, "-q", "--overwrite", *chosen],
                                 min(limit, max(self.left(), 5)), environment)
                if taken[0] is None:
                    break
                best = taken if best is None or taken[0] < best[0] else best
            if best is None:
                print(f"{name}, {count}: not measured", flush=True)
                continue
            same = ""
            if result is not None:
                first = first or result(count)
                if not filecmp.cmp(first, result(count), shallow=False):
                    same, self.failed = ", OTHER BYTES", True
            above = max(best[0] - start, 1e-9)
            row[count] = {"wall": best[0], "above": above, "rate": gigabytes / above, "user": best[1], "system": best[2]}
            print(f"{name}, {count}: {best[0]:.2f} s, above the start {above:.2f} s, {gigabytes / above:.1f} GB/s, "
                  f"user {best[1]:.1f} s, system {best[2]:.1f} s{same}", flush=True)
        self.rows.append(row)
        return row

    def beside(self, paths):
        """What the host allows at this moment."""
        threads = os.cpu_count() or 1
        print(f"dd: {threads} processes read {dd_rate(paths, threads):.0f} GB/s", flush=True)
        if self.backend == "cpu":
            return
        for count in sorted({1, self.counts[-1]}):
            rates = copy_rates(count)
            print(f"copies up, {count} at a time: {' '.join(f'{rate:.1f}' for rate in rates) or 'not measured'} GB/s", flush=True)

    def table(self):
        """Seconds above the start, with GB/s."""
        head = "".join(f" {count} {'card' if count == 1 else 'cards'} |" for count in self.counts)
        lines = ["| run |" + head, "|---|" + "---|" * len(self.counts)]
        starts = "".join(f" {self.starts[count]:.2f} |" if count in self.starts else " - |" for count in self.counts)
        lines.append("| start, s |" + starts)
        for row in self.rows:
            cells = [f" {row[count]['above']:.2f} s, {row[count]['rate']:.0f} GB/s |" if count in row else " - |"
                     for count in self.counts]
            lines.append(f"| {row['name']} |" + "".join(cells))
        return "\n".join(lines)


def large_images(table, make, sides):
    """make(path, axes): writes an image full of sky."""
    folder = table.folder
    for side in sides:
        image = folder / "large.fits"
        if shutil.disk_usage(folder).free < 4.2 * side * side + 20e9 and table.backend != "cpu":
            print(f"no room for {side} x {side}", flush=True)
            continue
        make(image, (side, side))
        gigabytes = 4 * side * side / 1e9
        table.beside([image])

        def named(kind):
            return lambda count: folder / f"{kind}{count}.csv"

        for name, kind, more in (("moments", "m", ["--fit", "none"]),
                                 ("moments, 4 GB of each", "s", ["--fit", "none", "--device-memory", "4G", "--host-memory", "16G"]),
                                 ("fits", "f", [])):
            table.row(f"find {side}, {name}", gigabytes, lambda count, kind=kind: ["find", image, "-o", named(kind)(count)],
                      named(kind), more)
        if side == sides[0]:
            smooth = folder / "smooth.fits"
            table.row(f"convolve {side}, gaussian:5", gigabytes, lambda _: ["convolve", image, smooth, "--kernel", "gaussian:5"],
                      None, repeats=1)
            smooth.unlink(missing_ok=True)
            table.row(f"run {side}, csv and picture", gigabytes,
                      lambda count: ["run", image, "-o", folder / f"run{count}", "--fit", "none", "--products", "csv,picture"],
                      lambda count: folder / f"run{count}/large.csv", batch=True)
        image.unlink()


def batches(table, skies, kinds, lanes=()):
    """skies: paths of images of one size, and its name. lanes: by hand, for the first of the kinds, beside the default."""
    paths, name = skies
    gigabytes = sum(os.path.getsize(path) for path in paths) / 1e9
    listed = table.folder / "list.txt"
    listed.write_text("".join(f"{path}\n" for path in paths))
    table.beside(paths)

    def out(count):
        return table.folder / f"out{count}"

    def words(count):
        shutil.rmtree(out(count), ignore_errors=True)
        return ["run", f"@{listed}", "-o", out(count)]

    def catalogue(count):
        return out(count) / "catalogue.csv"

    for kind, chosen in kinds.items():
        table.row(f"{name}, {kind}", gigabytes, words, catalogue, chosen, batch=True, limit=90)
    kind, chosen = next(iter(kinds.items()))
    for each in lanes:
        table.row(f"{name}, {kind}, {each} lanes a card", gigabytes, words, catalogue, [*chosen, "--lanes", each], batch=True,
                  counts=table.counts[:2], repeats=1)
    for count in table.counts:
        shutil.rmtree(out(count), ignore_errors=True)
