"""What numba does in Python before LLVM gets to work, without what our kernels have no need of.

Three fifths of compiling are spent there.  Much of it is asked for again and again, or computed for features
that kernels do not use; nothing left out here changes the code that comes of it.  Together it is a quarter
of the time; `python -m guiapp.core.kernels.warm_up` with an empty cache shows what remains.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

BUILTIN = type(len)  # the type of operators too: operator.add is one


def shorten_front_end(numba: Any) -> None:
    """Let this process compile with less to do."""
    core = numba.core
    _gather_variables_in_one_go(core.ir)
    _leave_lifetimes_to_those_who_ask(import_module("numba.core.postproc"), core.transforms)
    _remember_types_of_operations(core.types.functions.BaseFunction)
    _look_for_references_where_there_are_any(import_module("numba.core.runtime.context").NRTContext)
    _remember_sizes_of_types(core.base.BaseContext)
    _trust_this_llvm(core.codegen.CPUCodegen)
    _write_errors_plainly(type(core.errors.termcolor()))
    _tell_nobody_of_locks(import_module("llvmlite.binding.ffi"))


def _gather_variables_in_one_go(ir: Any) -> None:
    """List the variables of a statement, and know what holds none by its type."""
    plain = {str, int, float, bool, type(None), ir.Loc}

    def rec_list_vars(self: Any, value: Any) -> list[Any]:
        kind = type(value)
        if kind is ir.Var:
            return [value]
        if kind is not dict and kind is not list and kind is not tuple:
            return [] if kind in plain else usual(None, value)
        found: list[Any] = []
        for item in value.values() if kind is dict else value:
            if type(item) is ir.Var:
                found.append(item)
            elif type(item) not in plain:
                found += rec_list_vars(self, item)
        return found

    usual = ir.Inst._rec_list_vars
    ir.Inst._rec_list_vars = rec_list_vars


def _leave_lifetimes_to_those_who_ask(postproc: Any, transforms: Any) -> None:
    """Between two passes, compute no lifetimes of variables: generators only need them there."""
    usual = postproc.PostProcessor.run

    def run(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        code = self.func_ir
        if emit_dels or code.is_generator:
            usual(self, emit_dels, extend_lifetimes)
            return
        code.blocks = transforms.canonicalize_cfg(code.blocks)
        code.variable_lifetime = postproc.VariableLifetime(code.blocks)
        code.generator_info = None

    postproc.PostProcessor.run = run


def _remember_types_of_operations(function: Any) -> None:
    """Ask once what an operator gives for the same types: dozens of rules are tried for each sum."""
    usual: Callable[..., Any] = function.get_call_type
    known: dict[Any, Any] = {}

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or not (isinstance(self.key, tuple) and isinstance(self.key[0], BUILTIN)):
            return usual(self, context, args, kws)
        key = self, tuple(args), len(self.templates)  # there are more once a module adds rules
        if key not in known:
            known[key] = usual(self, context, args, kws)
        return known[key]

    function.get_call_type = get_call_type


def _look_for_references_where_there_are_any(runtime: Any) -> None:
    """Take nothing out of tuples and arrays that holds no counted reference: half of it is never used."""
    usual: Callable[..., None] = runtime._call_incref_decref
    known: dict[Any, bool] = {}

    def is_counted(self: Any, kind: Any) -> bool:
        if kind not in known:
            known[kind] = self._context.data_model_manager[kind].contains_nrt_meminfo()
        return known[kind]

    def call_incref_decref(self: Any, builder: Any, kind: Any, value: Any, name: str) -> None:
        if is_counted(self, kind):
            usual(self, builder, kind, value, name)

    def get_meminfos(self: Any, builder: Any, kind: Any, value: Any) -> list[Any]:
        model = self._context.data_model_manager[kind]
        found = [(kind, model.get_nrt_meminfo(builder, value))] if model.has_nrt_meminfo() else []
        for inner, getter in model.traverse(builder):
            if is_counted(self, inner):
                found += self.get_meminfos(builder, inner, getter(value))
        return found

    runtime._call_incref_decref = call_incref_decref
    runtime.get_meminfos = get_meminfos


def _remember_sizes_of_types(context: Any) -> None:
    """Ask LLVM once how large values of a type are: it is given a module to read each time."""
    usual: Callable[..., int] = context.get_abi_sizeof
    known: dict[str, int] = {}

    def get_abi_sizeof(self: Any, kind: Any) -> int:
        name = str(kind)
        if name not in known:
            known[name] = usual(self, kind)
        return known[name]

    context.get_abi_sizeof = get_abi_sizeof


def _trust_this_llvm(codegen: Any) -> None:
    """Look for a mistake of old versions once, not for each function."""
    usual: Callable[..., None] = codegen._check_llvm_bugs
    checked: list[bool] = []

    def check_llvm_bugs(self: Any) -> None:
        if not checked:
            usual(self)
            checked.append(True)

    codegen._check_llvm_bugs = check_llvm_bugs


def _write_errors_plainly(scheme: Any) -> None:
    """Leave out colours: messages are made for each rule that does not fit, and thrown away."""
    scheme._markup = lambda self, message, color=None, style=None: message


def _tell_nobody_of_locks(ffi: Any) -> None:
    """Drop what measures how long LLVM's lock is held."""
    for entering, leaving in tuple(ffi.lib._lock._cblist):
        ffi.unregister_lock_callback(entering, leaving)
