#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a loss of power leaves of each output: the old file or the whole new one, at every instant.

    power_loss.py REBER

Commands run under strace. The trace is replayed on a file system that keeps of a file what was synced, of a folder which names it
had when that was synced, and of all else any part in any order. Then the law holds at every instant if
- a file gets its name only after all of its bytes were synced, and is not written to afterwards,
- at a success, the folder of each new name was synced after it,
- a record of a batch is written only after the names that it speaks of are on the disk.
A batch's records are added to in place: what was synced of them stays a beginning of the file. Exit code 0; 1 with a line per breach; 77
without strace.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

CALLS = ("openat,open,creat,write,pwrite64,writev,pwritev,pwritev2,copy_file_range,sendfile,ftruncate,truncate,fallocate,fsync,fdatasync,"
         "syncfs,sync,rename,renameat,renameat2,link,linkat,symlink,symlinkat,mmap")
COMMANDS = {  # name: (arguments, outputs that there must be)
    "find": (["find", "a.fits", "-o", "o.csv", "o.fits", "o.vot", "o.reg", "o.sqlite", "--write-rms", "r.fits", "--json", "o.json"], 6),
    "find, over others": (["find", "a.fits", "-o", "old.csv", "--overwrite"], 1),
    "background": (["background", "a.fits", "--write-mean", "m.fits", "--write-rms", "r.fits"], 2),
    "convolve": (["convolve", "a.fits", "o.fits", "--kernel", "gaussian:2"], 1),
    "convolve to tiles": (["convolve", "a.fits", "o.fits.fz", "--kernel", "gaussian:2"], 1),
    "simulate": (["simulate", "o.fits", "--size", "90", "--truth", "t.csv"], 2),
    "measure": (["measure", "a.fits", "--at", "old.csv", "-o", "o.csv", "o.fits"], 2),
    "match": (["match", "old.csv", "old.csv", "-o", "o.csv"], 1),
    "mask": (["mask", "a.fits", "-o", "o.fits", "--threshold", "5"], 1),
    "smooth": (["smooth", "a.fits", "b.fits", "--to-beam", "20,20,0", "-o", "smoothed"], 2),
    "regrid": (["regrid", "a.fits", "--like", "b.fits", "-o", "o.fits"], 1),
    "run": (["run", "a.fits", "b.fits", "-o", "results"], 14),
    "run, synced at the end": (["run", "a.fits", "b.fits", "-o", "results", "--durable", "end", "--products", "csv,fits,rms"], 6),
    "run, two jobs": (["run", "a.fits", "b.fits", "-o", "results", "--jobs", "2", "--products", "csv,labels"], 6),
    "run, workers": (["run", "a.fits", "b.fits", "-o", "results", "--workers", "2", "--products", "csv,labels"], 6),
}

# The replay must see what is wrong here: nothing is synced.
BROKEN = "run, not synced"
COMMANDS[BROKEN] = (["run", "a.fits", "-o", "results", "--durable", "no", "--products", "csv"], 3)


class Disk:
    """Files by the name under which they are known now."""

    def __init__(self):
        self.written = collections.Counter()  # bytes of a file that were written, but not synced
        self.named = set()                    # files that have a name of their own
        self.waiting = {}                     # new names whose folder was not synced since
        self.breaches, self.outputs = [], set()

    def write(self, path, call):
        if path in self.named and not path.endswith(".jsonl"): self.breaches.append(f"{call} to {path}, which has its name already")
        self.written[path] += 1

    def sync(self, path):
        self.written.pop(path, None)
        for name in [n for n in self.waiting if os.path.dirname(n) == path]: del self.waiting[name]

    def name(self, old, new):
        if self.written.pop(old, 0): self.breaches.append(f"{new} gets its name before its bytes are on the disk")
        self.named.discard(old)
        self.named.add(new)
        self.waiting[new] = True
        self.outputs.add(new)

    def record(self, path, text):
        for name in self.waiting:
            if os.path.dirname(name) == os.path.dirname(path) and os.path.basename(name) in text: self.breaches.append(f"a record is written before the name {name} is on the disk")


def is_file(path):
    """Not a pipe, a device, a lease or something of the system's."""
    return path.startswith("/") and not re.match(r"/(dev|proc|sys)/", path) and "/.reber-leases/" not in path


def events(trace):
    """(call, its arguments as text), where it returned with success; a sync counts from where it returned, all else from where it
    began."""
    begun = {}
    for line in trace:
        found = re.match(r"(\d+) +(.*)$", line)
        if not found: continue
        thread, text = found[1], found[2]
        if text.endswith("<unfinished ...>"):
            begun[thread] = text[:-len("<unfinished ...>")]
            continue
        if resumed := re.match(r"<\.\.\. \w+ resumed>(.*)$", text): text = begun.pop(thread, "") + resumed[1]
        if call := re.match(r"(\w+)\((.*)\) += (-?\d+|0x\w+)", text):
            if not call[3].startswith("-"): yield call[1], call[2]


def replay(trace, folder):
    disk = Disk()
    full = lambda path: os.path.normpath(os.path.join(folder, path))
    for call, text in events(trace):
        on = re.match(r"\d+<([^>]*)>", text)
        path = on[1] if on else ""
        if call in ("write", "pwrite64", "writev", "pwritev", "pwritev2", "ftruncate", "fallocate", "copy_file_range", "sendfile"):
            if call == "copy_file_range": path = re.findall(r"\d+<([^>]*)>", text)[1]
            if not is_file(path): continue
            if path.endswith(".jsonl"): disk.record(path, text)
            disk.write(path, call)
        elif call in ("fsync", "fdatasync"):
            disk.sync(path)
        elif call == "syncfs" or call == "sync":
            disk.written.clear()
            disk.waiting.clear()
        elif call.startswith(("rename", "link")):
            names = re.findall(r'"([^"]*)"', text)
            if len(names) == 2: disk.name(full(names[0]), full(names[1]))
        elif call == "mmap" and "PROT_WRITE" in text and "MAP_SHARED" in text and (on := re.search(r", \d+<([^>]*)>", text)) and is_file(on[1]):
            disk.write(on[1], call)
    disk.breaches += [f"the name {name} may be lost after a success" for name in disk.waiting if ".reber-leases" not in name]
    return disk


def main():
    reber = os.path.abspath(sys.argv[1])
    if not shutil.which("strace"):
        print("strace is not installed: nothing is traced")
        return 77
    failed = 0
    for name, (command, least) in COMMANDS.items():
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.realpath(folder)
            for i, image in enumerate("ab"):
                subprocess.run([reber, "simulate", f"{image}.fits", "--size", "120", "--seed", str(i), "--quiet"], cwd=folder, check=True)
            subprocess.run([reber, "find", "a.fits", "-o", "old.csv", "--backend", "cpu", "--quiet"], cwd=folder, check=True)
            if command[0] == "smooth": os.mkdir(os.path.join(folder, "smoothed"))
            backend = [] if command[0] == "match" else ["--backend", "cpu"]
            line = ["strace", "-f", "-y", "-s", "4096", "-e", "trace=" + CALLS, "-o", "trace", reber, *command, *backend, "--quiet"]
            done = subprocess.run(line, cwd=folder, capture_output=True, text=True)
            if done.returncode != 0:
                print(f"{name}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
                failed += 1
                continue
            with open(os.path.join(folder, "trace"), encoding="utf-8", errors="replace") as trace: disk = replay(trace, folder)
        outputs = [o for o in disk.outputs if "/.reber-leases" not in o]
        if len(outputs) < least: disk.breaches.append(f"{len(outputs)} names were seen, not {least}: the trace was not understood")
        if name == BROKEN:
            whole = [b for b in disk.breaches if "before its bytes" in b]
            disk.breaches = [] if len(whole) >= least else ["files that nobody synced were not noticed"]
            if not disk.breaches: continue
        print(f"{name}: {len(outputs)} names{'' if disk.breaches else ', each old or whole at every instant'}")
        for breach in disk.breaches: print(f"  {breach}")
        failed += bool(disk.breaches)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
