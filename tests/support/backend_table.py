#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How far one backend's numbers are from the double-precision reference, by stage, over images of every kind.

    backend_table.py REBER [--backend cuda] [--against reference|opencv] [--images N] [--real IMAGE...] [--write docs/numerics.md]

Makes 24 images (blank borders, sources of 1e4 to 1e8 sigma, offsets of 1e6, prime sides, integers, doubles, extremes),
runs `reber verify` on each, and convolves each by every algorithm on both backends. Prints a table: per stage the worst
figure over all images with its bound, the image, and of convolutions the rms difference over the image's rms. --write
puts it between the marks of that backend in the document, or with --against opencv between those of the judge, which
does not convolve files. --real: these images, not those that it makes. Exit code 1 where a check does not hold.
"""
import argparse
import array
import json
import math
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = 2880
CODES = {-32: "f", -64: "d", 16: "h", 32: "i"}


def cards_of(bitpix, ny, nx, more):
    words = [("SIMPLE", "T"), ("BITPIX", bitpix), ("NAXIS", 2), ("NAXIS1", nx), ("NAXIS2", ny), ("BUNIT", "'JY/BEAM '"),
             ("CTYPE1", "'RA---SIN'"), ("CRVAL1", 180.0), ("CRPIX1", nx / 2), ("CDELT1", -0.0005),
             ("CTYPE2", "'DEC--SIN'"), ("CRVAL2", -30.0), ("CRPIX2", ny / 2), ("CDELT2", 0.0005),
             ("BMAJ", 0.0025), ("BMIN", 0.002), ("BPA", 30.0)] + more
    text = "".join(f"{key:<8}= {value if isinstance(value, str) and value[0] == chr(39) else str(value).rjust(20)}".ljust(80)
                   for key, value in words) + "END".ljust(80)
    return text.ljust(-(-len(text) // BLOCK) * BLOCK).encode()


def write_image(path, pixels, ny, nx, bitpix=-32, more=()):
    values = array.array(CODES[bitpix], pixels)
    if sys.byteorder == "little":
        values.byteswap()
    body = values.tobytes()
    path.write_bytes(cards_of(bitpix, ny, nx, list(more)) + body + bytes(-len(body) % BLOCK))


def sky(ny, nx, seed, peaks, offset=0.0, noise=1.0, slope=0.0):
    """Noise of one pixel's correlation, and Gaussians of the beam with these peaks."""
    rng = random.Random(seed)
    pixels = [offset + noise * rng.gauss(0, 1) + slope * (i % nx) for i in range(ny * nx)]
    for peak in peaks:
        cy, cx = rng.uniform(0, ny), rng.uniform(0, nx)
        for y in range(max(0, int(cy) - 9), min(ny, int(cy) + 10)):
            for x in range(max(0, int(cx) - 9), min(nx, int(cx) + 10)):
                pixels[y * nx + x] += peak * math.exp(-((y - cy) ** 2 + (x - cx) ** 2) / 6.5)
    return pixels


def blank_border(pixels, ny, nx, wide):
    return [math.nan if not (wide <= i // nx < ny - wide and wide <= i % nx < nx - wide) else v
            for i, v in enumerate(pixels)]


def images(folder):
    """Yields (name, path) of images that are easy, hard and odd."""
    ten = [5, 8, 12, 20, 50, 100, 300, 7, 9, 6]

    def made(name, pixels, ny, nx, **more):
        path = folder / f"{name}.fits"
        write_image(path, pixels, ny, nx, **more)
        return name, path
    yield made("plain", sky(256, 256, 1, ten), 256, 256)
    yield made("faint", sky(240, 320, 2, [4, 5, 6]), 240, 320)
    yield made("crowded", sky(256, 256, 3, ten * 12), 256, 256)
    yield made("noise", sky(200, 200, 4, []), 200, 200)
    yield made("prime sides", sky(211, 257, 5, ten), 211, 257)
    yield made("narrow", sky(19, 900, 6, ten), 19, 900)
    yield made("small", sky(37, 41, 7, [9]), 37, 41)
    yield made("large", sky(640, 600, 8, ten * 5), 640, 600)
    for power in (4, 5, 6, 7, 8):
        yield made(f"1e{power} sigma", sky(256, 256, 10 + power, ten + [10.0 ** power]), 256, 256)
    yield made("offset 1e3", sky(256, 256, 20, ten, offset=1e3), 256, 256)
    yield made("offset 1e6", sky(256, 256, 21, ten, offset=1e6), 256, 256)
    yield made("slope", sky(256, 256, 22, ten, slope=0.05), 256, 256)
    yield made("blank border", blank_border(sky(256, 256, 23, ten), 256, 256, 20), 256, 256)
    odd = sky(256, 256, 24, ten)
    for i in random.Random(1).sample(range(256 * 256), 900):
        odd[i] = math.nan
    yield made("blank pixels", odd, 256, 256)
    odd = sky(200, 200, 25, ten)
    odd[777], odd[20000] = math.inf, -math.inf
    yield made("infinite pixels", odd, 200, 200)
    yield made("int16", [max(-32767, min(32767, round(40 * v))) for v in sky(256, 256, 26, ten)], 256, 256, bitpix=16,
               more=[("BSCALE", 0.025), ("BZERO", 0.0), ("BLANK", -32768)])
    yield made("int32", [round(1000 * v) for v in sky(256, 256, 27, ten)], 256, 256, bitpix=32, more=[("BSCALE", 0.001)])
    yield made("float64", sky(256, 256, 28, ten), 256, 256, bitpix=-64)
    yield made("tiny 1e-30", [v * 1e-30 for v in sky(200, 200, 29, ten)], 200, 200)
    yield made("huge 1e30", [v * 1e30 for v in sky(200, 200, 30, ten)], 200, 200)


def run(words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)


def pixels_of(path):
    data = path.read_bytes()
    at = 0
    while not any(data[at + 80 * i:at + 80 * i + 80].rstrip() == b"END" for i in range(36)):
        at += BLOCK
    head = {line[:8].strip(): line[10:30].strip() for line in
            (data[i:i + 80].decode("ascii") for i in range(0, at + BLOCK, 80))}
    count = int(head["NAXIS1"]) * int(head["NAXIS2"])
    values = array.array("f", data[at + BLOCK:at + BLOCK + 4 * count])
    if sys.byteorder == "little":
        values.byteswap()
    return values


def differences(a, b):
    """(largest, rms) difference over the rms of b; NaN where the blanks differ."""
    pairs = [(x, y) for x, y in zip(a, b) if not (math.isnan(x) and math.isnan(y))]
    size = math.sqrt(sum(y * y for _, y in pairs) / len(pairs))
    apart = [abs(x - y) for x, y in pairs]
    return max(apart) / size, math.sqrt(sum(d * d for d in apart) / len(apart)) / size


class Table:
    def __init__(self):
        self.rows, self.failed = {}, []

    def take(self, stage, metric, worst, bound, name):
        row = self.rows.setdefault((stage, metric), {"worst": -1.0, "bound": bound, "image": "", "n": 0, "squares": 0.0})
        row["n"] += 1
        row["squares"] += worst * worst
        if not worst <= row["worst"]:
            row.update(worst=worst, image=name, bound=bound)

    def text(self):
        lines = ["| stage | figure | worst | bound there | image | rms over the images |", "|---|---|---|---|---|---|"]
        for (stage, metric), row in self.rows.items():
            if row["worst"] == 0:
                continue
            bound = f"{row['bound']:.2g}" if row["bound"] is not None else ""
            lines.append(f"| {stage} | {metric} | {row['worst']:.2g} | {bound} | {row['image'] if row['worst'] else ''} | "
                         f"{math.sqrt(row['squares'] / row['n']):.2g} |")
        same = sorted({stage for stage, _ in self.rows} - {stage for (stage, _), row in self.rows.items() if row["worst"] != 0})
        return "\n".join(lines) + f"\n\nWithout any difference in all images: {', '.join(same)}."


def stage_of(name):
    """Sizes of kernels and signs of islands in one row."""
    return " ".join(word for word in name.split() if "x" not in word or not word[0].isdigit())


def measure(options, table, name, path, folder):
    answer = folder / "verify.json"
    answer.unlink(missing_ok=True)
    done = run([options.reber, "verify", path, "--backend", options.backend, "--against", options.against, "--json", answer])
    if not answer.exists():
        table.failed.append(f"{name}: {done.stderr.strip()[-200:]}")
        return
    told = json.loads(answer.read_text())
    if "checks" not in told:
        table.failed.append(f"{name}: {told['error']}")
        return
    for check in told["checks"]:
        # "brightest pixel" in words that fit a cell
        metric = re.sub(r"\|(\w+)\|", r"abs(\1)", check["metric"])
        table.take(stage_of(check["stage"]), metric, check["worst"], check["bound"], name)
        if not check["passed"]:
            table.failed.append(f"{name}: {check['stage']}: {check['metric']}: {check['worst']:.3g} > {check['bound']:.3g}")
    if options.against == "opencv":
        return
    for kernel, algorithm in (("gaussian:4", "separable"), ("gaussian:5,3,30", "direct"), ("gaussian:5,3,30", "fft")):
        outputs = []
        for backend in (options.backend, options.against):
            out = folder / f"{backend}.fits"
            done = run([options.reber, "convolve", path, out, "--kernel", kernel, "--backend", backend, "--overwrite", "-q"]
                       + (["--algorithm", algorithm] if backend != "reference" else []))
            if done.returncode != 0:
                table.failed.append(f"{name}: convolve {algorithm} on {backend}: {done.stderr.strip()[-200:]}")
                break
            outputs.append(pixels_of(out))
        if len(outputs) == 2:
            worst, rms = differences(*outputs)
            table.take(f"convolve {algorithm}", "largest difference / rms of the image", worst, None, name)
            table.take(f"convolve {algorithm}", "rms difference / rms of the image", rms, None, name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("reber")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--against", default="reference")
    parser.add_argument("--real", type=Path, nargs="+", default=[])
    parser.add_argument("--images", type=int, default=1000)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    table = Table()
    with tempfile.TemporaryDirectory() as scratch:
        folder, count = Path(scratch), 0
        for name, path in [(one.stem, one) for one in options.real] or images(folder):
            if count == options.images:
                break
            measure(options, table, name, path, folder)
            count += 1
    text = f"`{options.backend}` against `{options.against}`, {count} images.\n\n{table.text()}\n"
    print(text)
    for line in table.failed:
        print("DOES NOT HOLD", line)
    if options.write and not table.failed:
        mark = "judge" if options.against == "opencv" else options.backend
        begin, end = f"<!-- {mark}: begin -->\n", f"<!-- {mark}: end -->"
        document = options.write.read_text(encoding="utf-8")
        before, rest = document.split(begin)
        options.write.write_text(before + begin + text + end + rest.split(end, 1)[1], encoding="utf-8")
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main())
