#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Who may include whom, checked on the includes themselves; the calls that are banned; and the shape of a source file.

One row per folder. A folder sees itself, the folders that hold it (where they allow it) and the rooms its row names;
a row that names a folder allows the folders inside it as well. docs/tour.md draws the same house.

    check_layers.py ROOT        exit 1 and a line per breach

check_layers_test.py breaks each rule once.
"""
import os
import re
import sys

# Wings of core and what each may include beside `core/base`; its rooms, each of which sees those before it.
WINGS = {
    "sky": ("", "model regions mask"),
    "files": ("sky", "io tiles image fits foreign readers catalogue samp"),
    "seam": ("sky", "compute plan"),
    "show": ("sky seam files", "display picture"),
    "measure": ("sky seam", "background sources fitting extended"),
    "run": ("sky files seam show measure", "request pipeline flow cube batch live"),
    "studies": ("sky files seam show measure run", ""),
}
# Rooms of gui from left to right: each may include those before it, unless its row below is narrower.
GUI_ORDER = "model serve render ui overlays panels export view app script".split()


def wing_rows():
    yield "core/base", ""
    for wing, (sees, rooms) in WINGS.items():
        outside = ["core/base"] + [f"core/{other}" for other in sees.split()]
        rooms = rooms.split()
        if not rooms:
            yield f"core/{wing}", " ".join(outside)
        for at, room in enumerate(rooms):
            yield f"core/{wing}/{room}", " ".join(outside + [f"core/{wing}/{left}" for left in rooms[:at]])


# What all CUDA rooms may include.
CUDA = "core/base core/sky/model core/seam/compute kernels/shared kernels/cuda/device"
CONVOLVE = "kernels/cuda/convolve"

# folder: what its files may include beside files of their own folder. A folder named here stands for what is in it, too.
ALLOWED = dict(wing_rows())
ALLOWED |= {f"gui/{room}": " ".join(["core"] + [f"gui/{left}" for left in GUI_ORDER[:at]])
            for at, room in enumerate(GUI_ORDER)}
ALLOWED |= {
    # Two rooms see a wing to the right: masks are files as well, and extended sources are a search of their own.
    "core/sky/mask": "core/base core/sky core/files/io core/files/image core/files/fits",
    "core/measure/extended": "core/base core/sky core/seam core/measure core/run/request core/run/pipeline",
    # Narrower than their wing.
    "core/files/tiles": "core/base",
    "core/run/batch": "core/base core/files/io",
    # Beside its wing.
    "core/studies/quality": ALLOWED["core/studies"] + " core/studies",
    "core/studies/imaging": ALLOWED["core/studies"] + " core/studies",

    "kernels": "core kernels",
    "kernels/shared": "core/base core/sky/model core/files/tiles core/seam/compute core/show/display",
    # The oracle shares no rule with what it judges: of what backends share, it has the casts of its arguments alone.
    "kernels/reference": "core kernels/shared/typed_backend.hpp kernels/shared/background_of.hpp kernels/shared/own_expression.hpp",
    "kernels/banded": "core kernels/shared kernels/banded",
    "kernels/cpu": "core kernels/shared kernels/cpu",
    "kernels/cpu/convolve": "core kernels/shared kernels/cpu",
    "kernels/cpu/islands": "core kernels/shared kernels/cpu",
    "kernels/cuda": "core kernels/shared kernels/cuda",
    "kernels/cuda/device": CUDA,
    "kernels/cuda/tiles": CUDA + " core/files/tiles",
    "kernels/cuda/statistics": CUDA,
    "kernels/cuda/mesh": CUDA + " kernels/cuda/statistics",
    "kernels/cuda/islands": CUDA + " kernels/cuda/statistics",
    "kernels/cuda/fit": CUDA + " kernels/cuda/statistics",
    "kernels/cuda/maps": CUDA + " core/show/display kernels/cuda/islands",
    CONVOLVE: f"{CUDA} kernels/cuda/statistics {CONVOLVE}",
    f"{CONVOLVE}/common": CUDA,
    f"{CONVOLVE}/march": f"{CUDA} {CONVOLVE}/common",
    f"{CONVOLVE}/direct": f"{CUDA} {CONVOLVE}/common {CONVOLVE}/march",
    f"{CONVOLVE}/separable": f"{CUDA} {CONVOLVE}/common {CONVOLVE}/march",
    f"{CONVOLVE}/fft": f"{CUDA} {CONVOLVE}/common",

    "gui/model": "core gui/model",
    "gui/model/sky": "core",
    "gui/model/image": "core gui/model/sky",
    "gui/model/regions": "core gui/model/sky gui/model/image",
    "gui/model/tables": "core gui/model/sky",
    "gui/model/cube": "core gui/model/sky gui/model/image gui/model/regions gui/model/tables",
    "gui/panels": "core gui/model gui/render gui/ui",
    "gui": "core gui",

    "app": "core kernels/backends.hpp kernels/shared_backend.hpp app",
    "app/terminal": "core/base core/files/io",
    "app/options": "core kernels/backends.hpp app/terminal",
    "app/results": "core app/options",
    "app/batch": "core kernels/backends.hpp app/terminal app/options app/results",
    "app/commands": "core kernels/backends.hpp kernels/shared_backend.hpp app/terminal app/options app/results app/batch app/bench",
    "app/bench": "core kernels/backends.hpp app/terminal app/options app/commands/command.hpp",
    "app/view": "core kernels/backends.hpp app/terminal app/options gui/viewer.hpp gui/model",

    "modules/casacore": "core/files/foreign/foreign_reader.hpp",
    "modules/opencv": "core/base core/sky/model core/seam/compute core/studies/judge.hpp",
    "modules/drawing": "core/base core/files/io core/show/picture",
}

# Sources of a folder, beyond which it is a list and no room: a warning, since a file in the wrong folder is worse.
WARNING = "warning: "
FULLEST = 45

# A .cpp or .cu has a header of its stem in its folder. These are rows of a table instead, which one header declares:
# commands, rows of the benchmark, panels, overlays, formats of catalogues, tables of actions; and the two programs.
ROWS = re.compile(r"app/(main|view/main|commands/\w+|bench/\w+)\.cpp|gui/(panels|overlays)/\w+\.cpp"
                  r"|gui/app/(actions_\w+|\w+_table)\.cpp|core/files/catalogue/catalogue_\w+\.cpp")
# Folders whose sources have no such header yet.
HEADERLESS = ("core/run/pipeline/", "core/run/live/", "core/studies/")

# Lines of a source at the most.
LONGEST = 400

# pattern, where it may stand, reason
BANNED = [
    (r"#include <(netinet|netdb|arpa)|::socket\(|::connect\(", r"core/files/samp/local_(post|listener)\.cpp",
     "core/files/samp/local_post.cpp alone opens a connection, to this machine; local_listener.cpp takes those of this machine"),
    (r"\b(O_WRONLY|O_RDWR|O_CREAT|O_APPEND|O_TRUNC)\b|std::(of|f)stream|\bf(d|re)?open\(|\bcreat\(|\bmkos?temps?\(",
     r"core/files/io/(atomic_file|file_in_place)\.cpp|core/files/fits/(caged_children|decoder_cage)\.cpp",  # /dev/null, a filter
     "core/files/io/atomic_file.hpp and file_in_place.hpp alone open files to write, which follow no link"),
    (r"\bO_RDONLY\b|\bifstream\b|<fstream>",
     r"core/files/io/(atomic_file|byte_source)\.cpp|core/run/batch/(input_list|read_ahead|lease_folder)\.cpp|app/batch/worker_link\.cpp"
     r"|core/base/host_memory\.cpp|core/files/fits/decoder_cage\.cpp|kernels/cpu/processor\.cpp",  # lists from pipes, a hint, locks, /proc
     "files are read through core/files/io/byte_source.hpp, which takes regular ones alone and never waits"),
    (r"#include <(cuda|cufft|cub/|nvtx)", r"kernels/cuda/", "CUDA headers live under kernels/cuda"),
    (r"#include <boost/", r"gui/serve/(server|browser|visit)\.[ch]pp", "gui/serve alone listens, at this machine's own address"),
    (r"#include <(GL/|GLFW/|EGL/|imgui|backends/imgui)", r"gui/(?!model/|serve/)", "OpenGL lives under gui; models know no window"),
    (r"fits_open_file\(|fits_open_image\(|fits_open_data\(|fits_create_file\(|fits_open_memfile\(|[^_a-z]system\(|popen\("
     r"|wcsprintf_set\(NULL|wcsprintf_set\(nullptr", None, "calls that read names as commands, URLs or sections, or overflow"),
    (r"cuda(Malloc|Free|MallocAsync|FreeAsync|MallocHost|FreeHost|StreamCreate|EventCreate)[A-Za-z]*\(",
     r"kernels/cuda/device/(raii|card_memory)\.", "handles are made in kernels/cuda/device/raii.hpp, memory in card_memory.hpp alone"),
    (r"std::thread( \w+)?[({]|std::jthread|std::async|pthread_create", r"core/base/threads\.hpp",
     "threads start in core/base/threads.hpp alone, which answers where the system gives none"),
    (r"__builtin_shuffle\(|ranges::(unique|(stable_)?partition|remove(_if)?|rotate|equal_range|search)\(", r"kernels/cpu/simd\.hpp|kernels/cuda/", "clang 14 has none, which fuzzing needs"),
    (r'"REBER_[A-Z_]+"', r"core/base/environment\.cpp|tests/", "variables of the environment are named in core/base/environment.cpp alone"),
    (r"::parse\(.*nullptr, false\)", r"core/base/json_text\.hpp", "JSON of others is parsed in core/base/json_text.hpp alone, which bounds its depth"),
    (r"__reduce_\w+_sync", r"kernels/cuda/device/warp\.cuh", "older cards have no such instruction: use device/warp.cuh"),
]

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
SOURCES = (".cpp", ".hpp", ".cu", ".cuh")
FIRST_LINE = "// SPDX-License-Identifier: BSD-3-Clause"


def sources(root, tops):
    for top in tops:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith(SOURCES):
                    yield os.path.relpath(os.path.join(folder, name), root)


def may_include(folder, target):
    if os.path.dirname(target) == folder:
        return True
    return any(target == allowed or target.startswith(allowed + "/") for allowed in ALLOWED[folder].split())


def include_breaches(path, text):
    folder = os.path.dirname(path)
    if folder not in ALLOWED:
        yield f"{path}: the folder {folder} has no row in tests/support/check_layers.py"
        return
    for target in INCLUDE.findall(text):
        if not may_include(folder, target):
            yield f"{path}: includes {target}; {folder} sees {ALLOWED[folder] or 'nothing of ours'}"


def banned_calls(path, text):
    for pattern, where, reason in BANNED:
        if where is not None and re.match(where, path):
            continue
        for hit in re.finditer(pattern, text):
            line = text.count("\n", 0, hit.start()) + 1
            yield f"{path}:{line}: {hit.group()}: {reason}"


OUTERMOST = re.compile(r"^(?:namespace |\}  // namespace|struct |class |enum class |union |template <).*", re.M)
TYPE = re.compile(r"(?:template <.*> )?(?:struct|class|enum class|union) (?:alignas\(\w+\) )?(\w+)(?: final)?(?: : [^;{]*)?(?: \{|$)")


def stem_breaches(root, path):
    stem, kind = os.path.splitext(path)
    if kind not in (".cpp", ".cu") or ROWS.fullmatch(path) or path.startswith(HEADERLESS):
        return
    if not any(os.path.exists(os.path.join(root, stem + header)) for header in (".hpp", ".cuh")):
        yield f"{path}: no header of its stem; join the file whose header declares it, or give it one"


def shape_breaches(path, text):
    lines = text.splitlines()
    if not lines or lines[0] != FIRST_LINE:
        yield f"{path}: the first line is not {FIRST_LINE}"
    elif len(lines) < 2 or not lines[1].startswith("// "):
        yield f"{path}: the second line does not say what the file is for"
    if len(lines) > LONGEST:
        yield f"{path}: {len(lines)} lines; more than {LONGEST} are several ideas"


def types_defined(path, text):
    """Types with a name that the linker sees, with their namespaces; the indentation is clang-format's."""
    spaces = []
    for line in OUTERMOST.findall(text):
        if opened := re.match(r"namespace ([\w:]*) ?\{", line):
            spaces.append(opened[1] or path)
        elif line.startswith("}  // namespace"):
            spaces.pop()
        elif path not in spaces and (found := TYPE.match(line)):
            yield "::".join([*spaces, found[1]])


def breaches(root):
    """One line per breach of any rule in the tree at `root`."""
    count, defined = {}, {}
    for path in sources(root, ("core", "kernels", "gui", "app", "modules", "tests")):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        yield from shape_breaches(path, text)
        for name in types_defined(path, text):
            if defined.setdefault(name, path) != path:
                yield f"{path}: {name} is another type in {defined[name]}; the linker takes their functions for the same"
        if path.startswith("tests/"):
            continue
        folder = os.path.dirname(path)
        count[folder] = count.get(folder, 0) + 1
        yield from include_breaches(path, text)
        yield from banned_calls(path, text)
        yield from stem_breaches(root, path)
    with open(os.path.join(root, "tests/support/coverage_set.txt"), encoding="utf-8") as file:
        counted = [line.split()[1] for line in file if line.strip() and not line.startswith("#")]
    yield from (f"tests/support/coverage_set.txt: {path} is not there" for path in counted
                if not os.path.exists(os.path.join(root, path)))
    yield from (f"{WARNING}{folder}: {n} sources; more than {FULLEST} are no room any more"
                for folder, n in count.items() if n > FULLEST)


def main():
    found = list(breaches(sys.argv[1]))
    bad = [line for line in found if not line.startswith(WARNING)]
    print("\n".join(found) if found else "layers hold")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
