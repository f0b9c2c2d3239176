#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the Debian package as `./dev package` does, and installs it by apt in a fresh Debian of debootstrap:

    check_deb.py SOURCE WORK [--base FOLDER] [--package FILE]

There another user finds the sources of the sample image on a read-only root, the viewer starts, and after the package is
removed nothing of it is left. Packed twice it has the same bytes. --base: a root file system that is there; --package: a
package that is there. Needs root, debootstrap and dpkg-dev; exit code 77 without them.
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

from run_dockerfile import Stage, skip


def made_twice(source, work):
    """The package of `./dev package`, and whether packing once more gives the same bytes."""
    subprocess.run([source / "dev", "package", "--no-cuda", "--yes"], check=True)
    (package,) = (source / "build/package/made").glob("reber_*.deb")
    shutil.copy(package, work)
    time.sleep(2)  # another second, were the clock asked
    subprocess.run([source / "dev", "package", "--no-cuda", "--yes"], check=True, stdout=subprocess.DEVNULL)
    if package.read_bytes() != (work / package.name).read_bytes():
        yield f"{package.name} has other bytes when it is packed again"
    shutil.copy(package, work)


def as_user(root, command):
    """Another user on a read-only root, with a folder to write in."""
    inside = f"cd /work && {command}"
    subprocess.run(["unshare", "--mount", "sh", "-ec",
                    f"mount --bind {root} {root} && mount -o remount,ro,bind {root} && mount --bind /dev {root}/dev && mount --rbind /proc {root}/proc && "
                    f"mount -t tmpfs tmpfs {root}/work && exec env -i PATH=/usr/bin:/bin HOME=/work /usr/sbin/chroot --userspec=4321:4321 {root} "
                    f"/bin/sh -ec {shlex.quote(inside)}"], check=True)


def files(root):
    return {str(path.relative_to(root)) for top in ("usr", "etc", "var/lib/dpkg/info") for path in (root / top).rglob("*reber*")}


def install(package, base, work):
    """A line for each fault of an installed package."""
    stage = Stage(work / "root", base, {"DEBIAN_FRONTEND": "noninteractive"}, [])
    shutil.copy("/etc/resolv.conf", stage.root / "etc/resolv.conf")
    (stage.root / "work").mkdir()
    (stage.root / "work").chmod(0o777)
    shutil.copy(package, stage.root / "tmp")
    before = files(stage.root)
    stage.run("apt-get update -q")
    begin = time.monotonic()
    stage.run(f"apt-get install -q -y --no-install-recommends /tmp/{package.name}")
    print(f"installed with what it depends on in {time.monotonic() - begin:.0f} s", flush=True)
    as_user(stage.root, "reber --version && reber-view --keys >/dev/null && ! touch /nowhere 2>/dev/null && "
                        "reber find /usr/share/reber/galactic_plane_150mhz.fits -o found.csv --backend cpu --quiet && "
                        "[ $(grep -vc '^#' found.csv) -gt 100 ] && "
                        "reber run /usr/share/reber/galactic_plane_150mhz.fits -o results --backend cpu --quiet && [ -s results/*.png ]")
    # All that the programs of the package say of themselves: no place of the machine that made them.
    told = subprocess.run(["grep", "-rla", str(Path(__file__).resolve().parents[2]), stage.root / "usr/bin", stage.root / "usr/lib/reber"],
                          capture_output=True, text=True).stdout.split()
    yield from (f"{name} names the folder in which it was built" for name in told)
    stage.run("apt-get purge -q -y reber")
    yield from (f"{name} is left when the package is removed" for name in sorted(files(stage.root) - before - {"tmp/" + package.name}))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--base", type=Path)
    parser.add_argument("--package", type=Path)
    options = parser.parse_args()
    if os.getuid() != 0:
        skip("this needs root")
    if not shutil.which("dpkg-shlibdeps") or (options.base is None and not shutil.which("debootstrap")):
        skip("there is no debootstrap, or no dpkg-dev")
    work = options.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    base = options.base or work / "base"
    if options.base is None and subprocess.run(["debootstrap", "--variant=minbase", "bookworm", base]).returncode:
        skip("debootstrap could not fetch Debian 12")
    bad = [] if options.package else list(made_twice(options.source.resolve(), work))
    package = options.package or next(work.glob("reber_*.deb"))
    bad += install(package, base, work)
    told = subprocess.run(["dpkg-deb", "-f", package, "Depends", "Installed-Size"], capture_output=True, text=True, check=True).stdout
    print(f"{package.name}: {package.stat().st_size / 1e6:.2f} MB, {int(re.search(r'Installed-Size: (.*)', told)[1]) / 1e3:.1f} MB installed")
    print("\n".join(bad) if bad else "the package installs, works and goes")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
