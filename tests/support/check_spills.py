#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""No kernel keeps registers or arrays in local memory: reads the compiled kernels out of the objects, needs no card and no tool.

usage: check_spills.py FOLDER_OR_OBJECT...

A kernel's stack frame holds what ptxas spilled and arrays that it could not keep in registers. It stands in the attributes of
the cubin (section .nv.info), and the cubin stands in the fat binary of the object (section .nv_fatbin).
Exit status 0: every frame is empty or explained in ALLOWED; 1: one is not; 77: there are no kernels to look at."""
import re
import struct
import sys
from pathlib import Path

TUNED = (90,)  # architectures that kernels are tuned for; others are not looked at
# Kernel (regular expression of its mangled name), most bytes, why. An entry that is no longer needed is an error as well.
ALLOWED = (
    (r"k_fft_columns_eachI.*4LineILi16ELi12ELi16ELi256ELi4ELi1EE", 24,
     "columns of 3072 for several kernels at once: 1024 threads have 64 registers each"),
    (r"k_add_momentsILb1E", 8,
     "cells of more than 2^28 pixels that begin between two groups of four columns: 1024 threads have 32 registers each"),
    (r"10k_resample", 48, "pixels by the rim or a blank one: weights of a width that is known only there, 6, 4 or 2"),
)

FATBIN, ELF_ENTRY, COMPRESSED = 0xBA55ED50, 2, 0x2000 | 0x8000
FRAME_SIZE, REGISTERS = 0x11, 0x2F  # attributes: (symbol, number)
INDEXED = 4  # the format of an attribute with a length; others are one word


def cubins(data):
    """(architecture, cubin) of each compiled entry of an object's fat binaries."""
    at = data.find(struct.pack("<I", FATBIN))
    while at >= 0:
        _, _, header, size = struct.unpack_from("<IHHQ", data, at)
        entry, end = at + header, at + header + size
        while entry < end:
            kind, _, head, length = struct.unpack_from("<HHIQ", data, entry)
            architecture, = struct.unpack_from("<I", data, entry + 28)
            flags, = struct.unpack_from("<Q", data, entry + 40)
            if kind == ELF_ENTRY:
                cubin = data[entry + head : entry + head + length]
                if flags & COMPRESSED or cubin[:4] != b"\x7fELF":
                    sys.exit("a compressed fat binary; build with nvcc -Xfatbin -no-compress")
                yield architecture, cubin
            entry += head + length
        at = data.find(struct.pack("<I", FATBIN), end)


def text(data, at):
    return data[at : data.index(b"\0", at)].decode()


def sections(elf):
    """{name: bytes} of a 64-bit ELF file."""
    table, = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    rows = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    return {text(elf, rows[names][4] + row[0]): elf[row[4] : row[4] + row[5]] for row in rows}


def frames(cubin):
    """{kernel: (bytes of its frame, registers)}"""
    parts = sections(cubin)
    found, info, at = {}, parts.get(".nv.info", b""), 0
    while at < len(info):
        shape, attribute = info[at], info[at + 1]
        length = struct.unpack_from("<H", info, at + 2)[0] if shape == INDEXED else 0
        if shape == INDEXED and attribute in (FRAME_SIZE, REGISTERS):
            symbol, number = struct.unpack_from("<II", info, at + 4)
            name = text(parts[".strtab"], struct.unpack_from("<I", parts[".symtab"], symbol * 24)[0])
            if f".text.{name}" in parts:  # parts of a kernel that have no code of their own repeat its frame
                found.setdefault(name, {})[attribute] = number
        at += 4 + length
    return {name: (numbers.get(FRAME_SIZE, 0), numbers.get(REGISTERS, 0)) for name, numbers in found.items()}


def main():
    objects = []
    for place in map(Path, sys.argv[1:]):
        objects += sorted(place.rglob("*.cu.o")) if place.is_dir() else [place]
    kernels, bad, needed = 0, [], set()
    for path in objects:
        for architecture, cubin in cubins(path.read_bytes()):
            if architecture not in TUNED:
                continue
            for name, (frame, registers) in sorted(frames(cubin).items()):
                kernels += 1
                if frame == 0:
                    continue
                entry = next((row for row in ALLOWED if re.search(row[0], name) and frame <= row[1]), None)
                needed.add(entry)
                if entry is None:
                    bad.append(f"{path.name}, sm_{architecture}: {name} has {frame} bytes of stack at {registers} registers")
    if not kernels:
        print("no kernels for " + ", ".join(f"sm_{number}" for number in TUNED))
        return 77
    bad += [f"ALLOWED holds {row[0]}, which needs nothing" for row in ALLOWED if row not in needed]
    print("\n".join([*bad, f"{kernels} kernels in {len(objects)} objects, {len(ALLOWED)} exceptions, {len(bad)} complaints"]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
