"""How numba compiles kernels, and what they call: once, into code that each kernel takes in, and no further.

numba optimises every function that it compiles, with all that this one calls, and translates it to machine
code; then it does all of that again for the caller, and so on outwards.  Nobody but kernels calls a routine,
so only kernels need it; a routine is but tidied, so that this need not be done in each kernel.  And numba
compiles a function anew for callers that are compiled with other options, even where these change nothing
in it.  Without both, all kernels together compile in half the time.

It goes over every function two dozen times, for closures, literals as arguments or expressions over whole
arrays, of which ours have none, and optimises the result a little before it optimises it much.  Without
these, and with routines tidied, a sixth is saved again; the code is no slower.

Each time an array is indexed, numba makes code for an index that counts from the end.  None of ours does;
without that code, loops are shorter, and a fifth less has to be compiled.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from guiapp.core.kernels.short_calls import OURS, insert_routine
from guiapp.core.kernels.short_lowering import short_lowering, short_routine_lowering

DONE_WITHOUT = {  # passes
    "WithLifting",
    "InlineClosureLikes",
    "RewriteSemanticConstants",
    "DeadBranchPrune",
    "RewriteDynamicRaises",
    "MakeFunctionToJitFunction",
    "InlineInlinables",
    "FindLiterallyCalls",
    "LiteralUnroll",
    "LiteralPropagationSubPipelinePass",
    "InlineOverloads",
    "NopythonRewrites",
    "NoPythonSupportedFeatureValidation",
    "DumpParforDiagnostics",
}


@cache
def kernel_compiler(numba: Any) -> type:
    """The `pipeline_class` for kernels."""
    core = numba.core
    library: Any = core.codegen.JITCodeLibrary
    lowering: Any = core.typed_passes.NativeLowering

    class KernelLibrary(library):  # type: ignore[misc]
        """Code that is optimised once, when all of it is there."""

        def _optimize_functions(self, module: Any) -> None:
            module.data_layout = self._codegen._data_layout

        def _optimize_final_module(self) -> None:
            passes, options = self._codegen._module_pass_manager()
            passes.run(self._final_module, options)

    @core.compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
    class KernelLowering(lowering):  # type: ignore[misc]
        _name = "kernel_lowering"
        lowering_class = short_lowering(numba)

        def run_pass(self, state: Any) -> bool:
            state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            super().run_pass(state)
            return True

    return _compiler(numba, KernelLowering, DONE_WITHOUT)


@cache
def routine_compiler(numba: Any, of_numba: bool = False) -> type:
    """The `pipeline_class` for routines, and for functions of numba's that they call."""
    core = numba.core
    library: Any = core.codegen.JITCodeLibrary
    lowering: Any = core.typed_passes.NativeLowering
    new_passes = import_module("llvmlite.binding").create_new_module_pass_manager

    class RoutineLibrary(library):  # type: ignore[misc]
        """Code to be linked into other code."""

        def _optimize_functions(self, module: Any) -> None:
            """Take out what any use of it would: numba writes each variable to memory and reads it again."""
            module.data_layout = self._codegen._data_layout
            passes = new_passes()
            passes.add_sroa_pass()
            passes.add_simplify_cfg_pass()
            passes.add_instruction_combine_pass()
            passes.run(module, self._codegen._pass_builder())

        def _optimize_final_module(self) -> None:
            """Leave it to the kernel."""

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._finalized = True

    @core.compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
    class RoutineLowering(lowering):  # type: ignore[misc]
        _name = "routine_lowering"
        lowering_class = short_routine_lowering(numba, of_numba)

        def run_pass(self, state: Any) -> bool:
            name = state.func_id.func_qualname
            state.flags.no_compile = True
            state.library = RoutineLibrary(state.targetctx.codegen(), name)
            super().run_pass(state)
            lowered = state["cr"]
            stand_in = numba._dynfunc.make_function(
                lowered.fndesc.lookup_module(), name, "", 0, lowered.env, (state.library,)
            )  # callers find the code by it, and nobody calls it
            insert_routine(numba, state.targetctx, stand_in, lowered.fndesc, state.library)
            state["cr"] = lowered._replace(cfunc=stand_in)
            return True

    return _compiler(numba, RoutineLowering, set() if of_numba else DONE_WITHOUT)


def _compiler(numba: Any, lowering: type, done_without: set[str]) -> type:
    """A `pipeline_class` of all passes but some, of which the last translates to LLVM."""
    core = numba.core
    compiler: Any = core.compiler.CompilerBase
    usual_lowering = core.typed_passes.NativeLowering
    for_references = core.typed_passes.IRLegalization  # tells where variables are used for the last time

    class ShortCompiler(compiler):  # type: ignore[misc]
        def define_pipelines(self) -> list[Any]:
            pipeline = core.compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
            pipeline.passes = [
                (lowering if each is usual_lowering else each, description)
                for each, description in pipeline.passes
                if each.__name__ not in done_without and (self.state.flags.nrt or each is not for_references)
            ]
            pipeline.finalize()
            return [pipeline]

    return ShortCompiler


def share_between_callers(numba: Any) -> None:
    """Let callers have the same code of a function unless it counts references for some of them only.

    That is the one option that functions of ours take over from their callers; see `borrowing.py`.  What ours
    call of numba's own functions is compiled as a routine, too; for others those are compiled as ever.
    """
    config = numba.core.targetconfig.ConfigStack
    template = numba.core.typing.templates._OverloadFunctionTemplate
    as_routine = {"pipeline_class": routine_compiler(numba, of_numba=True), "no_cfunc_wrapper": True}

    def get_impl(self: Any, args: Any, kws: Any) -> Any:
        of_caller = config.top_or_none()
        is_counting = self._jit_options.get("_nrt", of_caller is None or of_caller.nrt)
        is_of_numba = "pipeline_class" not in self._jit_options
        for_ours = is_of_numba and of_caller is not None and of_caller.no_cfunc_wrapper
        key = self.context, tuple(args), tuple(kws.items()), is_counting, for_ours
        found = self._impl_cache.get(key)
        if found is None:
            if for_ours:
                self._jit_options = as_routine | self._jit_options
            found = self._build_impl(key, args, kws)
        return found

    template._get_impl = get_impl


def take_indices_as_they_are(numba: Any) -> None:
    """Compile a[-1] in functions of ours, but no others, as the item before the first."""
    arrays: Any = import_module("numba.np.arrayobj")
    usual = arrays.fix_integer_index

    def fix_integer_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        if not builder.function.name.startswith(OURS):
            return usual(context, builder, kind, index, size)
        return context.cast(builder, index, kind, numba.types.intp)

    arrays.fix_integer_index = fix_integer_index
