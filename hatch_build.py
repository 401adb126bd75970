"""Puts the native library into wheels: the hook that hatchling asks for."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# by its path, because the program cannot be imported where a wheel is built
native = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("guiapp") / "native" / "build.py")))


class NativeLibraryHook(BuildHookInterface[Any]):
    def dependencies(self) -> list[str]:
        return [] if "TOKENLOUPE_TARGET" not in os.environ and native.compiler_on_path() else [native.ZIGLANG]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        try:
            compiler = native.compiler()
            made = {kind: native.build(kind, compiler) for kind in compiler.shipped}
        except native.BuildError as error:
            sys.exit(str(error))  # no traceback: what to do is the last line
        for kind, path in made.items():
            if version == "editable":
                native.install(path, kind)
            else:
                build_data["force_include"][str(path)] = f"guiapp/native/{path.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{native.wheel_platform(made[''], compiler)}"
