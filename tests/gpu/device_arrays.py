#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Arrays on the card, in and out: device_arrays.py [REBER]. The package reber is imported from the usual places.

Each part prints "ok" or "FAIL"; exit code 1 where one failed. Needs CuPy or PyTorch, better both; what is missing is told.
REBER: the program, for the benchmark's chain; default: the one in the wheel. Arrays of 4096 x 4096, about a minute.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

import reber

try:
    import cupy
except ImportError:
    cupy = None
try:
    import torch
except ImportError:
    torch = None
SIZE = 4096
FAILED = []


def check(name, good, more=""):
    print(("ok   " if good else "FAIL ") + name + (": " + str(more) if more != "" else ""), flush=True)
    if not good:
        FAILED.append(name)


def program():
    if len(sys.argv) > 1:
        return sys.argv[1]
    return os.path.join(os.path.dirname(reber.__file__), "bin", "reber")


def files_of(result, folder, name):
    """Catalogue and maps as bytes; the line that tells how the run was called apart."""
    path = os.path.join(folder, name + ".csv")
    result.write(path, overwrite=True)
    with open(path, "rb") as file:
        rows = b"".join(line for line in file if not line.startswith(b"#"))
    return rows, [getattr(result, kind).tobytes() for kind in ("image", "mean", "rms", "snr", "labels")]


def image_went_up(result, of=("read",)):
    return sum(stage["bytes_up"] for stage in result.report["stages"] if stage["name"] in of)


def same(got, right):
    return got[0] == right[0] and got[1] == right[1]


def forms_of(sky):
    """{name: an array on the card with the same pixels}."""
    forms = {}
    if cupy is not None:
        on = cupy.asarray(sky)
        wide = cupy.zeros((sky.shape[0], sky.shape[1] + 5), cupy.float32)
        wide[:, 3:-2] = on
        forms.update({"CuPy": on, "CuPy, four axes": on[None, None], "CuPy, column order": cupy.asfortranarray(on),
                      "CuPy, part of rows": wide[:, 3:-2], "CuPy, upside down twice": cupy.ascontiguousarray(on[::-1])[::-1],
                      "CuPy, float64": on.astype(cupy.float64)})

        class InterfaceAlone:
            __cuda_array_interface__ = on.__cuda_array_interface__
            kept = on

        forms["interface alone"] = InterfaceAlone()
    if torch is not None:
        tensor = torch.from_numpy(sky).cuda()
        forms.update({"PyTorch": tensor, "PyTorch, transposed twice": tensor.T.contiguous().T})
    return forms


def equality(sky, cards, folder):
    options = {"header": cards, "backend": "cuda"}
    from_host = reber.find(sky, **options)
    right = files_of(from_host, folder, "host")
    check("sources from host memory", len(from_host.sources) > 100, len(from_host.sources))
    check("the image crosses the bus from host memory", image_went_up(from_host) == sky.nbytes, image_went_up(from_host))
    for name, array in forms_of(sky).items():
        found = reber.find(array, **options)
        check(f"{name}: the same bytes as from host memory", same(files_of(found, folder, "card"), right))
        check(f"{name}: no pixel goes up", image_went_up(found) == 0,
              f"read {image_went_up(found)}, whole run {found.bytes_over_the_bus} bytes up, down")
    for name, array in forms_of(sky).items():
        if name not in ("CuPy", "PyTorch"):
            continue
        for call in (reber.background, lambda image, **o: reber.convolve(image, "gaussian:5", **o)):
            on, off = call(array, **options), call(sky, **options)
            check(f"{name}: background or convolve", on.image.tobytes() == off.image.tobytes() and image_went_up(on) == 0)
        on, off = (reber.measure(image, from_host, **options) for image in (array, sky))
        check(f"{name}: measure", on.rows.tobytes() == off.rows.tobytes(), len(on))
        streamed = reber.find(array, device_memory=96 << 20, **options)
        check(f"{name}: in bands through a small part of the card", files_of(streamed, folder, "bands")[0] == right[0],
              streamed.bytes_over_the_bus)
        if name == "CuPy":
            copied = reber.find(array, header=cards, backend="cpu")
            check("CuPy on the cpu backend is copied", files_of(copied, folder, "cpu")[0] == right[0])
    blanks = sky.copy()
    blanks[100:200, 50:90], blanks[7, 7] = np.nan, np.inf
    for name, array in forms_of(blanks).items():
        if name in ("CuPy", "PyTorch", "CuPy, float64"):
            check(f"{name}: blank and infinite pixels", same(files_of(reber.find(array, **options), folder, "card"),
                                                            files_of(reber.find(blanks, **options), folder, "host")))
    if cupy is not None:
        whole = (sky * 1e6).astype(np.int16)
        check("CuPy, int16", same(files_of(reber.find(cupy.asarray(whole), **options), folder, "card"),
                                  files_of(reber.find(whole, **options), folder, "host")))
        half = cupy.asarray(sky).astype(cupy.float16)
        check("CuPy, float16 is converted on the card",
              same(files_of(reber.find(half, **options), folder, "card"),
                   files_of(reber.find(cupy.asnumpy(half), **options), folder, "host")))


def maps_out(sky, cards):
    found = reber.find(sky, header=cards, backend="cuda")
    for kind in ("image", "mean", "rms", "snr", "labels"):
        right, lent = getattr(found, kind), found.on_device(kind)
        if cupy is not None:
            check(f"{kind} for CuPy", cupy.asnumpy(cupy.asarray(lent)).tobytes() == right.tobytes())
            check(f"{kind} for CuPy by DLPack", cupy.asnumpy(cupy.from_dlpack(lent)).tobytes() == right.tobytes())
        if torch is not None:
            check(f"{kind} for PyTorch", torch.from_dlpack(lent).cpu().numpy().tobytes() == right.tobytes())
    if cupy is not None:
        kept = cupy.asarray(found.on_device("rms"))
        right = found.rms
        del found
        for _ in range(3):
            reber.find(sky, header=cards, backend="cuda")
        check("a map outlives its run and is not written over", cupy.asnumpy(kept).tobytes() == right.tobytes())
        odd = np.ascontiguousarray(sky[:333, :501])
        small = reber.find(cupy.asarray(odd), header=cards)
        check("rows of odd length have no gaps", cupy.asnumpy(cupy.asarray(small.on_device("snr"))).tobytes() == small.snr.tobytes())
        chained = reber.find(reber.convolve(cupy.asarray(sky), "gaussian:5", header=cards).on_device(), header=cards)
        check("a map goes back in", image_went_up(chained) == 0, len(chained.sources))


def grids(sky, cards):
    """Maps of a run go onto another grid and back in, without another library."""
    lent = reber.background(sky, header=cards, mean=0.0, rms=1.0, backend="cuda").on_device()
    for how in ("fitted", "bilinear", "nearest"):
        asked = {"header": cards, "projection": "TAN", "rotate": 20, "size": (1001, 777), "interpolation": how}
        right = reber.regrid(sky, backend="cpu", **asked)
        made = reber.regrid(lent, **asked)
        check(f"regrid, {how}: the result stays on the card", isinstance(made.image, reber.DeviceArray) and made.image.shape == (777, 1001))
        back = reber.background(made.image, header=made.cards, mean=0.0, rms=1.0)
        check(f"regrid, {how}: the bytes of the processor", back.image.tobytes() == right.image.tobytes())
        check(f"regrid, {how}: nothing goes over the bus", image_went_up(back) == 0)


def streams(sky, cards):
    """The image is written late on a stream of its own; who does not wait for it sees zeros."""
    right = reber.find(sky, header=cards, backend="cuda").image.tobytes()
    if cupy is not None:
        for blocking in (False, True):
            stream = cupy.cuda.Stream(non_blocking=not blocking)
            source = cupy.asarray(sky)
            busy = cupy.ones((4096, 4096), cupy.float32)
            cupy.cuda.Device().synchronize()
            with stream:
                late = cupy.zeros_like(source)
                for _ in range(20):
                    busy = busy @ busy * cupy.float32(1e-4)
                late[...] = source
                got = reber.find(late, header=cards, backend="cuda", fit="moments").image.tobytes()
            check(f"CuPy's {'blocking' if blocking else 'non-blocking'} stream is waited for", got == right)
    if torch is not None:
        stream = torch.cuda.Stream()
        source = torch.from_numpy(sky).cuda()
        busy = torch.ones((4096, 4096), device="cuda")
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            late = torch.zeros_like(source)
            for _ in range(20):
                busy = busy @ busy * 1e-4
            late.copy_(source)
            got = reber.find(late, header=cards, backend="cuda", fit="moments").image.tobytes()
        check("PyTorch's stream is waited for", got == right)


def errors(sky, cards):
    def raises(kind, words, call):
        try:
            call()
        except kind as error:
            return words in str(error)
        return False

    class OfTheHost:
        __cuda_array_interface__ = {"shape": sky.shape, "typestr": "<f4", "data": (sky.ctypes.data, False), "version": 3,
                                    "strides": None, "stream": None}

    check("host memory that says it is a card's", raises(reber.InputError, "no card's memory", lambda: reber.find(OfTheHost())))
    for array in forms_of(sky[:64, :64].copy()).values():
        check("a card that is not there or not its own",
              raises((ValueError, reber.DeviceError), "", lambda array=array: reber.find(array, device=99)))
        break
    if torch is not None:
        wants = torch.from_numpy(sky[:64, :64].copy()).cuda().requires_grad_()
        check("PyTorch does not lend what needs a gradient", raises(TypeError, "does not lend", lambda: reber.find(wants)))


def several_threads(sky, cards):
    arrays = list(forms_of(sky).values())[:1] * 4
    right = reber.find(sky, header=cards, backend="cuda").sources.tobytes()
    got = [None] * len(arrays)

    def work(i):
        for _ in range(3):
            got[i] = reber.find(arrays[i], header=cards).sources.tobytes()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(arrays))]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    check("four threads at once", all(one == right for one in got))


def median_ms(call, runs=15, warm=4):
    times = []
    for i in range(runs + warm):
        begin = time.perf_counter()
        call()
        times.append((time.perf_counter() - begin) * 1e3)
    kept = sorted(times[warm:])
    return statistics.median(kept), kept[len(kept) // 4], kept[3 * len(kept) // 4]


def timing(sky, cards, bench):
    for name, array in forms_of(sky).items():
        if name not in ("CuPy", "PyTorch", "CuPy, float64"):
            continue
        for words, options in (("as usual", {}), ("one pass", {"passes": 1}), ("one pass, moments", {"passes": 1, "fit": "moments"})):
            median, low, high = median_ms(lambda: reber.find(array, header=cards, backend="cuda", **options))
            stages = reber.find(array, header=cards, backend="cuda", **options).report["stages"]
            told = {stage["name"]: round(stage["wall_ms"], 2) for stage in stages}
            print(f"time find {name}, {words}: {median:.2f} ms ({low:.2f} to {high:.2f}); stages {told}", flush=True)
            if name != "CuPy, float64" and words == "one pass" and bench:
                fits = sum(stage["wall_ms"] for stage in stages if stage["name"].startswith(("fit", "judge")))
                ratio = median / (bench + fits)
                check(f"{name}: find is at most 1.3 x the bench's chain plus fits", ratio <= 1.3,
                      f"{median:.2f} ms / ({bench:.2f} + {fits:.2f} ms) = {ratio:.2f}")
    host = median_ms(lambda: reber.find(sky, header=cards, backend="cuda"))
    print(f"time find from host memory, as usual: {host[0]:.2f} ms", flush=True)


def main():
    print("reber", reber.__version__, "of", os.path.dirname(reber.__file__), "| CuPy", getattr(cupy, "__version__", "missing"),
          "| PyTorch", getattr(torch, "__version__", "missing"), flush=True)
    why = {name: reason for name, _, reason in reber.backends()}.get("cuda", "not in this build")
    if why or (cupy is None and torch is None):
        sys.exit(f"nothing can be shown here: cuda: {why or 'runs'}; CuPy or PyTorch: {'none' if cupy is torch is None else 'there'}")
    with tempfile.TemporaryDirectory() as folder:
        path, told = os.path.join(folder, "sky.fits"), os.path.join(folder, "bench.json")
        subprocess.run([program(), "bench", "--size", str(SIZE), "--backend", "cuda", "--only", "mesh + label + measure",
                        "--sky", path, "--json", told, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        with open(told) as file:
            rows = [row for row in json.load(file)["rows"] if row["operation"] == "mesh + label + measure"]
        bench = rows[0]["warm_ms"]["median"] if rows else None
        print("bench, mesh + label + measure, warm:", bench, "ms", flush=True)
        first = reber.background(path, backend="cuda")
        sky, cards = np.ascontiguousarray(first.image), "".join(card.ljust(80) for card in first._run.cards)
        for part in (lambda: equality(sky, cards, folder), lambda: maps_out(sky, cards), lambda: grids(sky, cards), lambda: streams(sky, cards),
                     lambda: errors(sky, cards), lambda: several_threads(sky, cards), lambda: timing(sky, cards, bench)):
            try:
                part()
            except Exception as error:  # the other parts are run all the same
                check("a part ended early", False, f"{type(error).__name__}: {error}")
    print("FAILED: " + "; ".join(FAILED) if FAILED else "all of it is well")
    sys.exit(1 if FAILED else 0)


if __name__ == "__main__":
    main()
