"""Recipes: the answers that a user gave about a file, kept beside it, so that importing it again asks nothing.

`side.dxf` has its recipe in `side.dxf.recipe.yaml`. Importers that offer a survey use them.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from rck.hooks.survey import ProposedJoint, Survey
from rck.model.files import write_atomically
from rck.model.joint import JointKind
from rck.model.plain_yaml import dump_block
from rck.model.typed_yaml import Strict, convert, parse, read_text
from rck.model.units import format_quantity, parse_quantity, position_unit

ENDING = ".recipe.yaml"

Quantity: TypeAlias = float | str
"""A number in millimetres or degrees, or a text with its own unit."""


class RecipeJoint(Strict, frozen=True):
    """What is to be known about a joint; what is left out is found in the file."""

    piece: str = ""
    """The piece whose major axis is the joint's; for a joint that the file does not name as one."""
    kind: Literal["revolute", "continuous", "prismatic", "fixed"] | None = None
    base: str = ""
    """The item that stays."""
    moves: str | list[str] = ""
    limits: tuple[Quantity, Quantity] | None = None
    """Degrees or millimetres."""
    reverse: bool = False
    """Turn round, or slide along, the axis the other way."""
    position: Quantity = 0.0
    """Where it stands in the file, in degrees or millimetres."""

    @property
    def moved_items(self) -> tuple[str, ...]:
        """The items on the moving side; none where the file is to tell."""
        if isinstance(self.moves, str):
            return (self.moves,) if self.moves else ()
        return tuple(self.moves)

    def limits_in_si(self, turns: bool) -> tuple[float, float] | None:
        """In radians or metres."""
        if self.limits is None:
            return None
        lower, upper = (_in_si(limit, turns) for limit in self.limits)
        return lower, upper

    def position_in_si(self, turns: bool) -> float:
        """In radians or metres."""
        return _in_si(self.position, turns)


def _in_si(quantity: Quantity, turns: bool) -> float:
    return parse_quantity(str(quantity), *position_unit(turns))


class Recipe(Strict, frozen=True):
    """The answers about one file."""

    options: dict[str, str | float | bool] = {}
    """Options of the importer, as on the command line."""
    items: dict[str, list[str]] = {}
    """For each item the pieces that it is made of; a name may have `*` and `?` in it."""
    joints: dict[str, RecipeJoint] = {}
    leave_out: list[str] = []
    """Pieces that are not wanted."""
    masses: dict[str, Quantity] = {}
    """What items weigh, in kilograms, where it is not what the material would."""
    port_kinds: dict[str, str] = {}
    """The mechanical interface of ports, by name; an empty one leaves the port out."""

    def mass_of(self, item: str) -> float | None:
        """What an item weighs, in kilograms; None where the recipe does not say."""
        said = self.masses.get(item)
        return None if said is None else parse_quantity(str(said), "mass", "kg")

    @property
    def given(self) -> dict[str, str]:
        """The options as a user would type them."""
        return {name: _typed(value) for name, value in self.options.items()}

    def item_of(self, piece: str) -> str | None:
        """The item that a piece was given to; None where the recipe does not say, empty where it is left out."""
        if any(fnmatchcase(piece, pattern) for pattern in self.leave_out):
            return ""
        return next(
            (item for item, pieces in self.items.items() if any(fnmatchcase(piece, pattern) for pattern in pieces)),
            None,
        )


def _typed(value: str | float | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{value:.15g}"


def recipe_path(path: Path) -> Path:
    """Where the recipe of a file is kept."""
    return path.with_name(path.name + ENDING)


def read_recipe(path: Path) -> Recipe:
    """The recipe beside a file, an empty one where there is none; errors name the recipe's file, line and keys."""
    beside = recipe_path(path)
    if not beside.exists():
        return Recipe()
    text = read_text(beside)
    return convert(parse(text, str(beside)), Recipe, text, str(beside))


def write_recipe(path: Path, recipe: Recipe) -> Path:
    """Keep the recipe beside the file; where it was written."""
    write_atomically(recipe_path(path), recipe_bytes(path.name, recipe))
    return recipe_path(path)


def recipe_bytes(name: str, recipe: Recipe) -> bytes:
    """The recipe of a file of that name, as it is kept."""
    data = {name: value for name, value in msgspec.to_builtins(recipe).items() if value}
    options_first = sorted(data, key=lambda name: (name != "options", name))
    sections = [dump_block({name: data[name]}) for name in options_first]
    head = f"# Answers for importing {name}: `rck import` uses them again. Edit or delete as you like."
    return "\n".join([head, *sections, ""]).encode()


def with_options(recipe: Recipe, given: Mapping[str, str]) -> Recipe:
    """The recipe with options changed to what was given."""
    return msgspec.structs.replace(recipe, options={**recipe.options, **given})


def recipe_of(survey: Survey, recipe: Recipe | None = None) -> Recipe:
    """What the user made of a survey, as a recipe that makes the same of the file again; options stay."""
    items: dict[str, list[str]] = {}
    for piece in survey.pieces:
        if piece.item:
            items.setdefault(piece.item, []).append(piece.name)
    joints = {}
    for joint in survey.joints:
        moves: str | list[str] = joint.moves[0] if len(joint.moves) == 1 else list(joint.moves)
        joints[joint.name] = RecipeJoint(joint.piece, joint.kind.value, joint.base, moves, _limits(joint))
    axes = {joint.piece for joint in survey.joints}
    unwanted = [piece.name for piece in survey.pieces if not piece.item and piece.name not in axes]
    return msgspec.structs.replace(recipe or Recipe(), items=items, joints=joints, leave_out=unwanted)


def _limits(joint: ProposedJoint) -> tuple[Quantity, Quantity] | None:
    if joint.limits is None or joint.kind not in (JointKind.REVOLUTE, JointKind.PRISMATIC):
        return None
    unit = position_unit(joint.kind.turns)
    return format_quantity(joint.limits.lower, *unit), format_quantity(joint.limits.upper, *unit)
