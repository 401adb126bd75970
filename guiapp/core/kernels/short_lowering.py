"""Tell LLVM in few instructions what kernels do most: read and write items of arrays.

For each item numba copies the description of the array, looks up its shape and strides twice and
multiplies: two dozen instructions, of which LLVM removes all but four.  For `int(x)` and `min(a, b)` it calls
functions, and it empties variables that are used no more.  Where the few that remain are written to begin
with, the machine code is the same, and there is half as much to write, to print, to read and to remove.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from guiapp.core.kernels.short_calls import ROUTINES, is_plain_array


@cache
def short_lowering(numba: Any) -> type:
    """The `lowering_class` of passes that translate functions of ours."""
    types, ir, cgutils = numba.types, numba.core.ir, numba.core.cgutils
    usual: Any = numba.core.lowering.Lower
    counted: dict[Any, bool] = {}

    class ShortLowering(usual):  # type: ignore[misc]
        takes_indices_as_they_are = True

        def is_counted(self, name: str) -> bool:
            """Whether a variable may hold references, which somebody must count."""
            kind = self.typeof(name)
            if kind not in counted:
                counted[kind] = self.context.data_model_manager[kind].contains_nrt_meminfo()
            return counted[kind]

        def lower_block(self, block: Any) -> None:
            """As the usual one, without preparing what would be printed or blamed for each statement."""
            self.pre_block(block)
            for statement in block.body:
                self.loc, kind = statement.loc, type(statement)
                if kind is ir.Del:
                    self.delvar(statement.value)
                elif kind is ir.Assign and type(statement.value) is not ir.Arg:
                    target = statement.target.name
                    self.storevar(self.lower_assign(self.typeof(target), statement), target)
                else:
                    self.lower_inst(statement)
            self.post_block(block)

        def delvar(self, name: str) -> None:
            if self.is_counted(name):
                super().delvar(name)

        def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
            if argidx is not None or name in self._singly_assigned_vars or self.is_counted(name):
                super().storevar(value, name, argidx)
                return
            self._alloca_var(name, self.typeof(name))
            self.builder.store(value, self.getvar(name))

        def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
            if not self.is_plain_item(value.name, index.name):
                return super().lower_getitem(resty, expr, value, index, signature)
            dtype = self.typeof(value.name).dtype
            item = self.context.unpack_value(self.builder, dtype, self.place_of_item(value.name, index.name))
            return self.context.cast(self.builder, item, dtype, resty)

        def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> None:
            if not self.is_plain_item(target_var.name, index_var.name):
                super().lower_setitem(target_var, index_var, value_var, signature)
                return
            dtype, value = self.typeof(target_var.name).dtype, self.loadvar(value_var.name)
            value = self.context.cast(self.builder, value, self.typeof(value_var.name), signature.args[2])
            value = self.context.cast(self.builder, value, signature.args[2], dtype)
            place = self.place_of_item(target_var.name, index_var.name)
            self.context.pack_value(self.builder, dtype, value, place)

        def is_plain_item(self, array: str, index: str) -> bool:
            if self.context.enable_boundscheck or not self.takes_indices_as_they_are:
                return False
            return isinstance(self.typeof(index), types.Integer) and is_plain_array(numba, self.typeof(array))

        def place_of_item(self, array: str, index: str) -> Any:
            position = self.context.cast(self.builder, self.loadvar(index), self.typeof(index), types.intp)
            return self.builder.gep(self.part_of_array(array, "data"), [position], inbounds=False)

        def part_of_array(self, name: str, part: str) -> Any:
            """A field of numba's description of an array, without the others."""
            position = self.context.data_model_manager[self.typeof(name)].get_field_position(part)
            if name in self._blk_local_varmap:
                return self.builder.extract_value(self.loadvar(name), position)
            return self.builder.load(cgutils.gep_inbounds(self.builder, self.getvar(name), 0, position))

        def _lower_call_normal(self, fnty: Any, expr: Any, signature: Any) -> Any:
            names, returned = [each.name for each in expr.args], signature.return_type
            match fnty.typing_key if isinstance(fnty, types.Function) else None, names:
                case [_, _] if expr.vararg is not None or expr.kws:
                    pass
                case [function, [array]] if function is len and is_plain_array(numba, self.typeof(array)):
                    return self.builder.extract_value(self.part_of_array(array, "shape"), 0)
                case [function, [_]] if function is int and self.are_whole(*names):
                    return self.as_type(names[0], returned)
                case [function, [_, _]] if function in (min, max) and self.are_whole(*names):
                    if isinstance(returned, types.Integer):
                        return self.lower_choice(names, returned, "<" if function is min else ">")
            return super()._lower_call_normal(fnty, expr, signature)

        def are_whole(self, *names: str) -> bool:
            return all(isinstance(self.typeof(name), (types.Integer, types.Boolean)) for name in names)

        def as_type(self, name: str, kind: Any) -> Any:
            return self.context.cast(self.builder, self.loadvar(name), self.typeof(name), kind)

        def lower_choice(self, names: list[str], kind: Any, comparison: str) -> Any:
            """The first of two numbers, unless the second is smaller, or larger."""
            first, second = (self.as_type(name, kind) for name in names)
            compare = self.builder.icmp_signed if kind.signed else self.builder.icmp_unsigned
            return self.builder.select(compare(comparison, second, first), second, first)

    return ShortLowering


@cache
def short_routine_lowering(numba: Any, of_numba: bool) -> type:
    """The same for routines: callers are told how.  In those of numba's, a[-1] is the last item."""
    usual: Any = short_lowering(numba)

    class ShortRoutineLowering(usual):  # type: ignore[misc]
        takes_indices_as_they_are = not of_numba

        def setup_function(self, described: Any) -> None:
            ROUTINES[described.mangled_name] = self.context.enable_nrt
            super().setup_function(described)

    return ShortRoutineLowering
