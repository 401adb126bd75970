"""Compiles the native library: with a compiler for C++20 from PATH or CXX, else with the package ziglang.

python -m guiapp.native.build               changed sources, for this machine, into this folder; on x86-64
                                            both the plain library and the one for processors with AVX2
python -m guiapp.native.build --checked     one that traps, loaded with TOKENLOUPE_NATIVE=checked
python -m guiapp.native.build --address     one with g++'s address sanitizer; prints how to load it
python -m guiapp.native.build --wheels DIR  wheels for all platforms; needs hatchling and ziglang
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

ZIGLANG = "ziglang==0.17.1"  # as in constraints.txt, which does not apply when a wheel is built
TARGETS = {  # names of platforms: zig's, and those of wheels
    "x86_64-linux-gnu.2.17": "manylinux_2_17_x86_64",
    "aarch64-linux-gnu.2.17": "manylinux_2_17_aarch64",
    "x86_64-macos.11.0": "macosx_11_0_x86_64",
    "aarch64-macos.11.0": "macosx_11_0_arm64",
    "x86_64-windows-gnu": "win_amd64",
    "aarch64-windows-gnu": "win_arm64",
}
NO_COMPILER = (
    "There is no compiler for C++20 here: install g++ (11 or newer), clang++ (14 or newer) "
    f"or the Python package {ZIGLANG}, and try again."
)

ROOT = Path(__file__).resolve().parents[2]
OBJECTS = ROOT / "build" / "native"
library = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("library.py"))))

PLAIN_X86 = "x86-64-v2", "x86_64_v2"  # for g++ and zig: processors since 2009
COMMON = [
    "-std=c++20",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
]
HARDENING = "-D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE"
BOUNDS = [  # zig disables them by the macros that are undefined here
    "-D_GLIBCXX_ASSERTIONS",
    "-U_LIBCPP_HARDENING_MODE",
    "-U_LIBCPP_ASSERTION_SEMANTIC_DEFAULT",
    "-D_LIBCPP_ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_QUICK_ENFORCE",
]
SHIPS_BOUNDS_CHECKS = False  # they cost 9 to 14 % of the speed of `fast`
UNDEFINED = ["-fsanitize=undefined", "-fno-sanitize=vptr", "-fsanitize-undefined-trap-on-error"]
SHIPPED = ["-O3", *([*BOUNDS, HARDENING + "_FAST"] if SHIPS_BOUNDS_CHECKS else [])]
KINDS = {
    "": SHIPPED,
    library.WIDE: SHIPPED,
    "checked": ["-O2", *BOUNDS, HARDENING + "_EXTENSIVE", *UNDEFINED],
    "address": ["-O1", "-g1", *BOUNDS, "-fsanitize=address"],
}
SAMPLE = """
#include <algorithm>
#include <span>
extern "C" int least(std::span<const int> of) { return *std::ranges::min_element(of); }
"""
WITH_ADDRESS = (
    'LD_PRELOAD="$(g++ -print-file-name=libasan.so)" ASAN_OPTIONS=detect_leaks=0 '
    "PYTHONMALLOC=malloc TOKENLOUPE_NATIVE=address"
)


class BuildError(Exception):
    """Why there is no library; the last line states what to do."""


@dataclass(frozen=True)
class Compiler:
    """compile    the command that makes an object of a source
    link       the command that makes a library of objects, without the options after these
    libraries  the options after the objects
    target     zig's name of the platform; None for a compiler of this machine
    """

    compile: list[str]
    link: list[str]
    libraries: list[str]
    target: str | None = None

    @property
    def shipped(self) -> list[str]:
        """The kinds to build for users: "", and the one for newer processors if there is one."""
        return ["", *([library.WIDE] if self.for_kind(library.WIDE) != self.compile else [])]

    def for_kind(self, kind: str) -> list[str]:
        """The command that makes an object of this kind."""
        return [
            f"{option[:-2]}{library.WIDE}" if kind == library.WIDE and option.endswith(PLAIN_X86) else option
            for option in self.compile
        ]

    @property
    def suffix(self) -> str:
        if self.target is None:
            return str(library.SUFFIX)
        return ".dll" if "windows" in self.target else ".dylib" if "macos" in self.target else ".so"


def compiler(kind: str = "") -> Compiler:
    """The compiler to use; TOKENLOUPE_TARGET may set the platform."""
    if target := os.environ.get("TOKENLOUPE_TARGET"):
        return zig(target)
    if kind == "address":
        if shutil.which("g++") is None:
            raise BuildError("The address sanitizer needs g++, which is not installed: install it.")
        return Compiler(["g++"], ["g++", "-shared", "-fsanitize=address"], [])
    if candidate := compiler_on_path():
        return candidate
    if find_spec("ziglang") is None:
        raise BuildError(NO_COMPILER)
    return zig(own_target())


def own_target() -> str:
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine := platform.machine().lower(), machine)
    system = {"Linux": "linux-gnu", "Windows": "windows-gnu", "Darwin": "macos"}.get(platform.system(), "")
    for target in TARGETS:
        if target.startswith(f"{machine}-{system}"):
            return target
    raise BuildError(NO_COMPILER)


def zig(target: str) -> Compiler:
    """zig without the standard library of C++, which it would take minutes to build: see support.cpp."""
    command = [sys.executable, "-m", "ziglang"]
    options = ["-target", target, *([f"-mcpu={PLAIN_X86[1]}"] if target.startswith("x86_64") else [])]
    libraries = ["-Wl,-z,defs", "-Wl,-Bsymbolic", "-lm"]
    if "windows" in target:
        libraries = ["-nostdlib", "-lcompiler_rt", "-lkernel32"]  # nor that of C, for the same reason
    elif "macos" in target:
        libraries = ["-Wl,-install_name,_native.dylib"]
    return Compiler(
        [*command, "c++", *options], [*command, "cc", *options, "-shared", "-s"], libraries, target
    )


def compiler_on_path() -> Compiler | None:
    """The first of g++ and clang++ that makes a library of C++20; only CXX if it is set."""
    if os.name == "nt":
        return None  # its compilers differ too much
    machine = platform.machine()
    options = [f"-march={PLAIN_X86[0]}"] if machine == "x86_64" else []
    libraries = ["-nodefaultlibs", "-Wl,-z,defs", "-Wl,-Bsymbolic", "-Wl,--as-needed", "-lm", "-lc", "-lgcc"]
    if sys.platform == "darwin":
        options += ["-arch", machine, "-mmacosx-version-min=11.0"]
        libraries = ["-nodefaultlibs", "-Wl,-install_name,_native.dylib", "-lSystem"]
    for command in [os.environ["CXX"]] if os.environ.get("CXX") else ["g++", "clang++"]:
        parts = [*shlex.split(command), *options]
        candidate = Compiler(parts, [*parts, "-shared", "-s"], libraries)
        if _works(candidate):
            return candidate
    if os.environ.get("CXX"):
        raise BuildError(f"CXX is “{os.environ['CXX']}”, which cannot compile C++20: unset or change it.")
    return None


def _works(candidate: Compiler) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "least.cpp")
        source.write_text(SAMPLE)
        command = [*candidate.compile, "-shared", *COMMON, *KINDS[""], str(source), "-o", f"{folder}/least"]
        try:
            return subprocess.run([*command, *candidate.libraries], capture_output=True).returncode == 0
        except OSError:
            return False


def build(kind: str = "", chosen: Compiler | None = None) -> Path:
    """Build a new library; return its path, in the folder of its objects."""
    chosen = chosen or compiler(kind)
    if not library.sources():
        raise BuildError("The sources of the native library are only in a checkout or an sdist: build there.")
    folder = OBJECTS / f"{chosen.target or 'own'}{kind and '-' + kind}"
    folder.mkdir(parents=True, exist_ok=True)
    command = [*chosen.for_kind(kind), *COMMON, *KINDS[kind]]
    sources = [path for path in library.sources() if path.suffix == ".cpp"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(lambda source: _object(command, source, folder), sources))
    for outdated in set(folder.glob("*.o")) - set(objects):
        outdated.unlink(missing_ok=True)
    made = folder / f"_native{kind and '_' + kind}{chosen.suffix}"
    _run([*chosen.link, *map(str, objects), *chosen.libraries, "-o", str(made)])
    return made


def _object(command: list[str], source: Path, folder: Path) -> Path:
    """The object of a source; its name has a hash of everything that it was made of."""
    if source.name == "support.cpp":
        command = [*command, f'-DLOUPE_SOURCES="{library.source_mark().decode()}"']
    contents = [path.read_bytes() for path in sorted(_with_headers(source))]
    made_of = hashlib.sha256(b"\0".join([*map(os.fsencode, command), *contents])).hexdigest()
    made = folder / f"{source.stem}-{made_of[:16]}.o"
    if not made.exists():
        unfinished = made.with_suffix(f".{os.getpid()}")  # two may build at once
        _run([*command, "-c", str(source), "-o", str(unfinished)])
        unfinished.replace(made)
    return made


def _with_headers(source: Path, known: frozenset[Path] = frozenset()) -> frozenset[Path]:
    known |= {source}
    for name in re.findall(r'^#include "(.+)"', source.read_text("utf-8"), re.MULTILINE):
        if (header := source.with_name(name)) not in known:
            known = _with_headers(header, known)
    return known


def _run(command: list[str]) -> None:
    cache = {"ZIG_GLOBAL_CACHE_DIR": str(OBJECTS / "zig"), "ZIG_LOCAL_CACHE_DIR": str(OBJECTS / "zig")}
    done = subprocess.run(command, env=cache | os.environ, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        output = f"{done.stdout}{done.stderr}\n{shlex.join(command)} ended with {done.returncode}."
        raise BuildError(f"{output}\nThe native library could not be built: see the errors above.")


def install(made: Path, kind: str = "") -> Path:
    """Replace the present library by a new one; running programs may still use the old one."""
    path: Path = library.library_path(kind)
    copy = path.with_suffix(".new")
    shutil.copyfile(made, copy)
    copy.replace(path)
    return path


def wheel_platform(made: Path, chosen: Compiler) -> str:
    """The platform in a wheel's name: the oldest on which the library runs."""
    if chosen.target is not None:
        return TARGETS[chosen.target]
    if sys.platform == "darwin":
        return f"macosx_11_0_{platform.machine()}"
    if platform.libc_ver()[0] != "glibc":
        return f"linux_{platform.machine()}"
    contents = made.read_bytes()
    needed = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", contents)]
    if b"GLIBC_ABI_DT_RELR" in contents:
        needed.append(36)
    return f"manylinux_2_{max(17, *needed)}_{platform.machine()}"


def build_wheels(folder: Path) -> None:
    for target in TARGETS:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder.resolve())]
        done = subprocess.run(command, cwd=ROOT, env=os.environ | {"TOKENLOUPE_TARGET": target})
        if done.returncode != 0:
            raise BuildError(f"The wheel for {target} could not be built: see the errors above.")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m guiapp.native.build")
    parser.add_argument("--checked", action="store_const", const="checked", dest="kind", default="")
    parser.add_argument("--address", action="store_const", const="address", dest="kind")
    parser.add_argument("--wheels", type=Path, metavar="DIR")
    options = parser.parse_args()
    try:
        if options.wheels:
            build_wheels(options.wheels)
        else:
            chosen = compiler(options.kind)
            for kind in [options.kind] if options.kind else chosen.shipped:
                print(install(build(kind, chosen), kind))
            if options.kind == "address":
                print(f"Run Python with these variables: {WITH_ADDRESS}")
    except BuildError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
