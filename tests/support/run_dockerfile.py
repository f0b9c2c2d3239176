#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Carries out packaging/Dockerfile in plain root file systems, where no builder of images runs:

    run_dockerfile.py SOURCE WORK [--base FOLDER] [--build-arg KEY=VALUE]... [--env KEY=VALUE]... [--bind FOLDER]...

Each stage is a copy of the base (a Debian of debootstrap; made in WORK/base where none is named) in which the steps run
by chroot: FROM, ARG, ENV, COPY, RUN and WORKDIR, as this file has them. Then the program of the last stage finds the
sources of the sample image as another user, with the root file system read-only. --env and --bind reach the steps
alone (a compiler's cache, for one). Needs root and debootstrap; exit code 77 without them.
"""
import argparse
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def steps_of(text):
    """(word, rest) of each instruction, lines joined and comments left out."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines():
        if line.strip():
            word, rest = line.strip().split(None, 1)
            yield word, re.sub(r"\s+", " ", rest)


def filled(text, values):
    return re.sub(r"\$\{(\w+)\}", lambda one: values.get(one[1], ""), text)


class Stage:
    """One root file system in the making."""

    def __init__(self, root, base, environment, binds):
        self.root, self.folder, self.environment, self.binds = root, "/", dict(environment), binds
        subprocess.run(["cp", "-a", "--reflink=auto", base, root], check=True)
        self.variables = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}

    def path(self, name):
        return Path(str(self.root) + os.path.normpath(os.path.join(self.folder, name)))

    def run(self, command, arguments=None):
        """A shell's command in the root, in namespaces of its own: mounts end with it."""
        mounts = "".join(f"mkdir -p {self.root}{one} && mount --rbind {one} {self.root}{one} && "
                         for one in ["/dev", "/proc", *self.binds])
        variables = " ".join(f"{key}={shlex.quote(value)}"
                             for key, value in {**self.variables, **(arguments or {}), **self.environment}.items())
        inner = f"cd {shlex.quote(self.folder)} && {command}"
        subprocess.run(["unshare", "--mount", "sh", "-ec",
                        f"{mounts}exec env -i {variables} chroot {self.root} /bin/sh -ec {shlex.quote(inner)}"], check=True)


def build(source, work, base, arguments, environment, binds):
    stages, stage, given, known = {}, None, dict(arguments), {}
    for word, rest in steps_of((source / "packaging/Dockerfile").read_text()):
        print("+", word, rest[:110], flush=True)
        if word == "ARG":
            name, _, value = rest.partition("=")
            known[name] = given.get(name, value)
        elif word == "FROM":
            name = re.search(r" AS (\w+)$", rest)
            stage = Stage(work / (name[1] if name else "image"), base, environment, binds)
            stages[name[1] if name else "image"] = stage
            shutil.copy("/etc/resolv.conf", stage.root / "etc/resolv.conf")
        elif word == "ENV":
            name, _, value = rest.partition("=")
            stage.variables[name] = filled(value, known)
        elif word == "WORKDIR":
            stage.folder = rest
            stage.path(".").mkdir(parents=True, exist_ok=True)
        elif word == "COPY" and rest == ". .":
            tracked = subprocess.run(["git", "-C", source, "ls-files", "-z"], capture_output=True, check=True).stdout
            subprocess.run(["tar", "-C", source, "--null", "-T", "-", "-cf", work / "context.tar"], input=tracked, check=True)
            subprocess.run(["tar", "-C", stage.path("."), "--no-same-owner", "-xf", work / "context.tar"], check=True)
        elif word == "COPY":
            origin, pattern, target = re.fullmatch(r"--from=(\w+) (\S+) (\S+)", rest).groups()
            for one in glob.glob(str(stages[origin].root) + pattern):
                shutil.copy(one, stage.path(target))
        elif word == "RUN":
            stage.run(rest, known)
        elif word != "CMD":
            sys.exit(f"{word} {rest}: an instruction that this does not know")
    return stage


def prove(stage):
    """Any user, a root that is read-only, writing in the bound folder alone."""
    print("prove: a search as user 4321 on a read-only root", flush=True)
    inside = ("cd /work && reber --version && reber find image.fits -o found.csv --backend cpu --quiet && "
              "[ -x $(command -v aegean) ] && ! grep -q 'REBER_CUDA_FAULT\\|REBER_CPU_VECTORS' $(command -v reber) && "
              "! touch /nowhere 2>/dev/null && [ $(grep -vc '^#' found.csv) -gt 100 ]")
    subprocess.run(["unshare", "--mount", "sh", "-ec",
                    f"mount --bind {stage.root} {stage.root} && mount -o remount,ro,bind {stage.root} && "
                    f"mount --bind /dev {stage.root}/dev && mount -t tmpfs tmpfs {stage.root}/tmp && "
                    f"mount --bind {stage.root}-work {stage.root}/work && "
                    f"exec env -i PATH={stage.variables['PATH']} chroot --userspec=4321:4321 {stage.root} /bin/sh -ec "
                    + shlex.quote(inside)], check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--base", type=Path)
    parser.add_argument("--build-arg", action="append", default=[])
    parser.add_argument("--env", action="append", default=[])
    parser.add_argument("--bind", action="append", default=[])
    options = parser.parse_args()
    if os.getuid() != 0:
        skip("this needs root")
    if options.base is None and not shutil.which("debootstrap"):
        skip("there is no debootstrap")
    work = options.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    base = options.base
    if base is None:
        base = work / "base"
        made = subprocess.run(["debootstrap", "--variant=minbase", "bookworm", str(base)])
        if made.returncode:
            skip("debootstrap could not fetch Debian 12")
    pairs = [dict(one.split("=", 1) for one in some) for some in (options.build_arg, options.env)]
    source = options.source.resolve()
    stage = build(source, work, base, *pairs, options.bind)
    # A folder outside of the image, as a container's user binds one.
    bound = Path(str(stage.root) + "-work")
    bound.mkdir()
    shutil.copy(source / "sample_data/galactic_plane_150mhz.fits", bound / "image.fits")
    for one in (bound, bound / "image.fits"):
        os.chown(one, 4321, 4321)
    prove(stage)
    print("size of the image:", subprocess.run(["du", "-sh", str(stage.root)], capture_output=True, text=True).stdout.split()[0])


if __name__ == "__main__":
    main()
