"""Arithmetic expressions in manifests: ``${length/2 + 3}``, evaluated without running code."""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_UNARY: dict[type[ast.unaryop], Callable[[float], float]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}
FUNCTIONS: dict[str, Callable[..., float]] = {
    "abs": abs,
    "acos": lambda ratio: math.degrees(math.acos(ratio)),
    "asin": lambda ratio: math.degrees(math.asin(ratio)),
    "atan2": lambda y, x: math.degrees(math.atan2(y, x)),
    "ceil": math.ceil,
    "cos": lambda degrees: math.cos(math.radians(degrees)),
    "floor": math.floor,
    "max": max,
    "min": min,
    "round": round,
    "sin": lambda degrees: math.sin(math.radians(degrees)),
    "sqrt": math.sqrt,
    "tan": lambda degrees: math.tan(math.radians(degrees)),
}
_OF_MANY = ("max", "min")
_MARK = re.compile(r"\$\{([^{}]*)\}")
_LONGEST = 200


class ExpressionError(ValueError):
    """An expression that cannot be evaluated; `keys` is its path in the data."""

    def __init__(self, message: str, keys: tuple[str | int, ...] = ()) -> None:
        self.keys = keys
        super().__init__(message)


def evaluate(expression: str, values: Mapping[str, float]) -> float:
    """Evaluate an arithmetic expression of numbers, names, ``+ - * / // %``, ``**`` and a few functions.

    Angles are degrees, as in the manifests.
    """
    if len(expression) > _LONGEST:
        raise ExpressionError(f"an expression may have {_LONGEST} characters, not {len(expression)}")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # Deeply nested brackets exhaust the stack of the parser.
        raise ExpressionError(f"{expression!r} is not arithmetic") from None
    try:
        value = float(_value(tree.body, values))
    except (ZeroDivisionError, OverflowError, ValueError, TypeError) as error:
        if isinstance(error, ExpressionError):
            raise
        raise ExpressionError(f"{expression!r} has no value: {error}") from None
    if not math.isfinite(value):
        raise ExpressionError(f"{expression!r} is not a finite number")
    return value


def _value(node: ast.expr, values: Mapping[str, float]) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return float(node.value)
    if isinstance(node, ast.Name):
        if node.id == "pi":
            return math.pi
        if node.id not in values:
            known = ", ".join(sorted(values)) or "none"
            raise ExpressionError(f"there is no parameter {node.id!r} (known: {known})")
        return values[node.id]
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _UNARY[type(node.op)](_value(node.operand, values))
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, values), _value(node.right, values)
        if type(node.op) in _BINARY:
            return _BINARY[type(node.op)](left, right)
        if isinstance(node.op, ast.Pow):
            return math.pow(left, right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
        if node.keywords:
            raise ExpressionError(f"{node.func.id}() takes no named arguments")
        given = [_value(argument, values) for argument in node.args]
        if node.func.id in _OF_MANY and len(given) == 1:
            return given[0]
        return FUNCTIONS[node.func.id](*given)
    raise ExpressionError(f"{ast.unparse(node)!r} is not arithmetic")


def substitute(tree: Any, values: Mapping[str, float], keys: tuple[str | int, ...] = ()) -> Any:
    """Replace every ``${...}`` in the data; a text that is only an expression becomes a number.

    `keys` is the path of the data in the whole document; errors name the path of the expression.
    """
    if isinstance(tree, str):
        try:
            return _replaced(tree, values)
        except ExpressionError as error:
            raise ExpressionError(str(error), keys) from None
    if isinstance(tree, list):
        return [substitute(one, values, (*keys, number)) for number, one in enumerate(tree)]
    if isinstance(tree, dict):
        return {key: substitute(one, values, (*keys, key)) for key, one in tree.items()}
    return tree


def _replaced(text: str, values: Mapping[str, float]) -> str | float:
    if "${" not in text:
        return text
    whole = _MARK.fullmatch(text.strip())
    if whole:
        return evaluate(whole[1], values)
    filled = _MARK.sub(lambda mark: f"{evaluate(mark[1], values):.12g}", text)
    if "${" in filled:
        raise ExpressionError(f"{text!r}: ${{ needs an expression and a closing }}")
    return filled
