"""How routines are called: with what must be known of arrays, and with one look at the outcome.

numba hands an array over in seven parts and puts it together on the other side, dozens of arrays for a few
tables.  Of an array with one axis and no gaps, three say it all: where it is, how long, and who owns it; and
who only borrows it does not ask for the owner.  Behind each call numba finds out what kind of error came
back; ours return whatever did.
"""

from __future__ import annotations

from functools import cache
from typing import Any

OURS = "_ZN6guiapp"  # what the names of compiled functions of this project begin with
ROUTINES: dict[str, bool] = {}  # those compiled by now, named as LLVM does: do they count references?


def is_plain_array(numba: Any, kind: Any) -> bool:
    """Whether something is an array of numbers with one axis and no gaps."""
    types = numba.types
    return (
        isinstance(kind, types.Array)
        and (kind.ndim, kind.layout, kind.aligned) == (1, "C", True)
        and isinstance(kind.dtype, (types.Integer, types.Float, types.Boolean))
    )


def shorten_calls(numba: Any) -> None:
    """Let routines be called in this way, and all other functions as ever."""
    base, usual = numba.core.base.BaseContext, numba.core.callconv.CPUCallConv
    usual_declare = base.declare_function
    usual_decode, usual_call = usual.decode_arguments, usual.call_function

    def convention_of(name: str, context: Any) -> Any:
        return _short_convention(numba)(context, ROUTINES[name]) if name in ROUTINES else usual(context)

    def declare_function(self: Any, module: Any, described: Any) -> Any:
        if described.mangled_name not in ROUTINES:
            return usual_declare(self, module, described)
        convention = convention_of(described.mangled_name, self)
        kind = convention.get_function_type(described.restype, described.argtypes)
        function = numba.core.cgutils.get_or_insert_function(module, kind, described.mangled_name)
        self.apply_target_attributes(function, described.argtypes, described.restype)
        convention.decorate_function(function, described.args, described.argtypes, noalias=described.noalias)
        return function

    def decode_arguments(self: Any, builder: Any, kinds: Any, function: Any) -> Any:
        return usual_decode(convention_of(function.name, self.context), builder, kinds, function)

    def call_function(self: Any, builder: Any, function: Any, *given: Any, **more: Any) -> Any:
        return usual_call(convention_of(function.name, self.context), builder, function, *given, **more)

    base.declare_function = declare_function
    usual.decode_arguments, usual.call_function = decode_arguments, call_function


def insert_routine(numba: Any, context: Any, stand_in: Any, described: Any, library: Any) -> None:
    """Tell numba that calls of `stand_in` are calls of a routine."""
    usual = numba.core.imputils.user_function(described, [library])
    short: Any = _short_convention(numba)
    optional = numba.types.Optional

    def implementation(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        if isinstance(described.restype, optional) or not builder.function.name.startswith(OURS):
            return usual(context, builder, signature, given)
        function = context.declare_function(builder.module, described)
        convention = short(context, ROUTINES[described.mangled_name])
        result = convention.call_and_hand_on(builder, function, described, given)
        return numba.core.imputils.impl_ret_new_ref(context, builder, described.restype, result)

    implementation.signature = described.argtypes  # type: ignore[attr-defined]
    implementation.libs = (library,)  # type: ignore[attr-defined]
    context.insert_func_defn([(implementation, stand_in, described.argtypes)])


@cache
def _short_convention(numba: Any) -> type:
    cgutils: Any = numba.core.cgutils
    usual: Any = numba.core.callconv.CPUCallConv
    pack_arguments: Any = _short_arguments(numba)

    class ShortConvention(usual):  # type: ignore[misc]
        """Functions that are called with parts of arrays."""

        def __init__(self, context: Any, is_counting: bool) -> None:
            super().__init__(context)
            self.is_counting = is_counting

        def _get_arg_packer(self, kinds: Any) -> Any:
            return pack_arguments(self.context.data_model_manager, kinds, self.is_counting)

        def call_and_hand_on(self, builder: Any, function: Any, described: Any, given: Any) -> Any:
            """Call, and return at once if that fails: what went wrong stands where our caller looks."""
            result = cgutils.alloca_once(builder, self.get_return_type(described.restype).pointee)
            packed = self._get_arg_packer(described.argtypes).as_arguments(builder, given)
            code = builder.call(function, [result, self._get_excinfo_argument(builder.function), *packed])
            with cgutils.if_unlikely(builder, builder.icmp_signed("!=", code, code.type(0))):
                builder.ret(code)
            return self.context.get_returned_value(builder, described.restype, builder.load(result))

    return ShortConvention


@cache
def _short_arguments(numba: Any) -> type:
    usual: Any = numba.core.datamodel.packer.ArgPacker

    class ShortArguments(usual):  # type: ignore[misc]
        """numba's `ArgPacker`, but for plain arrays, and tuples of them."""

        def __init__(self, models: Any, kinds: Any, is_counting: bool) -> None:
            packer = numba.core.datamodel.packer
            self._nargs = len(kinds)
            self._dm_args = [_model(numba, models, kind, is_counting) for kind in kinds]
            shapes = [model.get_argument_type() for model in self._dm_args]
            self._unflattener = packer._Unflattener(shapes)
            self._be_args = list(packer._flatten(shapes))

    return ShortArguments


def _model(numba: Any, models: Any, kind: Any, is_counting: bool) -> Any:
    usual = models.lookup(kind)
    if is_plain_array(numba, kind):
        return _PlainArray(usual, is_counting)
    if isinstance(kind, numba.types.BaseTuple):
        return _Tuple([_model(numba, models, each, is_counting) for each in kind], usual)
    return usual


class _PlainArray:
    """An array as the address of its first item, its length, and its owner if references are counted."""

    def __init__(self, model: Any, is_counting: bool) -> None:
        self.model = model
        self.at = {name: model.get_field_position(name) for name in ("meminfo", "data", "shape")}
        self.owner = ["meminfo"] if is_counting else []

    def get_argument_type(self) -> Any:
        meminfo, data, shape = (self.model._models[at].get_argument_type() for at in self.at.values())
        return (data, shape[0], meminfo) if self.owner else (data, shape[0])

    def as_argument(self, builder: Any, value: Any) -> Any:
        data, *owner = (builder.extract_value(value, self.at[name]) for name in ["data", *self.owner])
        return data, builder.extract_value(value, [self.at["shape"], 0]), *owner

    def from_argument(self, builder: Any, parts: Any) -> Any:
        data, length, *owner = parts
        kind, position = self.model.get_value_type(), self.model.get_field_position
        itemsize = length.type(getattr(self.model.fe_type.dtype, "bitwidth", 8) // 8)
        fixed = {"itemsize": itemsize, "strides": kind.elements[position("strides")]([itemsize])}
        whole = kind([fixed.get(name, each(None)) for name, each in zip(self.model._fields, kind.elements)])
        for name, part in [("data", data), ("nitems", length), *zip(self.owner, owner)]:
            whole = builder.insert_value(whole, part, position(name))
        return builder.insert_value(whole, length, [position("shape"), 0])


class _Tuple:
    """A tuple as all parts of its items."""

    def __init__(self, models: list[Any], whole: Any) -> None:
        self.models = models
        self.whole = whole

    def get_argument_type(self) -> Any:
        return tuple(model.get_argument_type() for model in self.models)

    def as_argument(self, builder: Any, value: Any) -> Any:
        parts = [builder.extract_value(value, part) for part in range(len(self.models))]
        return tuple(model.as_argument(builder, part) for model, part in zip(self.models, parts))

    def from_argument(self, builder: Any, parts: Any) -> Any:
        whole = self.whole.get_value_type()(None)
        for part, model in enumerate(self.models):
            whole = builder.insert_value(whole, model.from_argument(builder, parts[part]), part)
        return whole
