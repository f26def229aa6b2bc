"""Import recipes: the options and decisions of a user for one file, stored in the same folder for the next import.

The recipe of `side.dxf` is `side.dxf.recipe.yaml`. Importers with a survey use recipes.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

import msgspec

from rck.hooks.survey import ProposedJoint, Survey
from rck.model.joint import JointKind
from rck.model.joint_spec import JointRatings, in_key_order
from rck.model.quantities import Pair, Quantity
from rck.support.files import write_atomically
from rck.support.plain_yaml import dump_block
from rck.support.typed_yaml import Strict, convert, parse, read_text
from rck.support.units import format_quantity, parse_quantity, position_unit

ENDING = ".recipe.yaml"


class RecipeJoint(JointRatings, frozen=True, rename={"entity": "piece"}):
    """Decisions about a joint; missing values come from the file. Numbers without unit are in mm, degrees and rpm."""

    entity: str = ""
    """Entity whose major axis is the joint axis, for a joint that the file does not mark as one."""
    kind: Literal["revolute", "continuous", "prismatic", "fixed"] | None = None
    base: str = ""
    """Base item of the joint."""
    moves: str | list[str] = ""
    reverse: bool = False
    """Reverse the direction of the axis."""
    position: Quantity = 0.0
    """Joint position in the drawing."""

    @property
    def moved_items(self) -> tuple[str, ...]:
        """Moved items; empty if they are determined from the file."""
        if isinstance(self.moves, str):
            return (self.moves,) if self.moves else ()
        return tuple(self.moves)


class Recipe(Strict, frozen=True):
    """Import recipe of one file."""

    options: dict[str, str | float | bool] = {}
    """Importer options, as on the command line."""
    items: dict[str, list[str]] = {}
    """Entities of each item; names may contain the wildcards `*` and `?`."""
    joints: dict[str, RecipeJoint] = {}
    leave_out: list[str] = []
    """Entities to ignore; names may contain wildcards."""
    regions: dict[str, Literal["plate", "hole", "ignored"]] = {}
    """Roles of closed regions of a flat drawing, instead of the proposed roles; names may contain wildcards."""
    masses: dict[str, Quantity] = {}
    """Masses of items, in kilograms, that override those of the material."""
    port_kinds: dict[str, str] = {}
    """Port types by port name; an empty type removes the port."""

    def mass_of(self, item: str) -> float | None:
        """Return the mass of an item, in kilograms; None if the recipe does not set it."""
        said = self.masses.get(item)
        return None if said is None else parse_quantity(str(said), "mass", "kg")

    @property
    def given(self) -> dict[str, str]:
        """Options as typed on the command line."""
        return {name: _typed(value) for name, value in self.options.items()}

    def item_of(self, piece: str) -> str | None:
        """Return the item that an entity is assigned to; empty if it is ignored, None if it is not in the recipe."""
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
    """Return the path of the recipe of a file."""
    return path.with_name(path.name + ENDING)


def read_recipe(path: Path) -> Recipe:
    """Read the recipe of a file, or return an empty one; errors name the file, line and keys of the recipe."""
    source = recipe_path(path)
    if not source.exists():
        return Recipe()
    text = read_text(source)
    return convert(parse(text, str(source)), Recipe, text, str(source))


def write_recipe(path: Path, recipe: Recipe) -> Path:
    """Write the recipe next to the file; return its path."""
    write_atomically(recipe_path(path), recipe_bytes(path.name, recipe))
    return recipe_path(path)


def recipe_bytes(name: str, recipe: Recipe) -> bytes:
    """Return the text of the recipe of a file with that name."""
    data = {name: value for name, value in msgspec.to_builtins(recipe).items() if value}
    if recipe.joints:
        data["joints"] = {joint: {key: one[key] for key in in_key_order(one)} for joint, one in data["joints"].items()}
    options_first = sorted(data, key=lambda name: (name != "options", name))
    sections = [dump_block({name: data[name]}) for name in options_first]
    head = f"# Import recipe of {name}, used again by `rck import`. You can edit or delete it."
    return "\n".join([head, *sections, ""]).encode()


def with_options(recipe: Recipe, given: Mapping[str, str]) -> Recipe:
    """Return the recipe with these options changed."""
    return msgspec.structs.replace(recipe, options={**recipe.options, **given})


def recipe_of(survey: Survey, recipe: Recipe | None = None) -> Recipe:
    """Return the recipe that reproduces an edited survey; options are kept from the earlier recipe."""
    items: dict[str, list[str]] = {}
    for piece in survey.pieces:
        if piece.item:
            items.setdefault(piece.item, []).append(piece.name)
    earlier = recipe or Recipe()
    joints = {joint.name: _recipe_joint(joint, earlier.joints.get(joint.name)) for joint in survey.joints}
    axes = {joint.entity for joint in survey.joints}
    unwanted = [piece.name for piece in survey.pieces if not piece.item and piece.name not in axes]
    return msgspec.structs.replace(earlier, items=items, joints=joints, leave_out=unwanted)


def _recipe_joint(joint: ProposedJoint, earlier: RecipeJoint | None) -> RecipeJoint:
    kind = joint.kind
    moves: str | list[str] = joint.moves[0] if len(joint.moves) == 1 else list(joint.moves)
    limits: Pair | None = None
    if joint.limits is not None and kind in (JointKind.REVOLUTE, JointKind.PRISMATIC):
        unit = position_unit(kind.turns)
        limits = format_quantity(joint.limits.lower, *unit), format_quantity(joint.limits.upper, *unit)
    return RecipeJoint(
        limits=limits,
        speed=_typed_quantity(joint.speed, *(("angular speed", "rpm") if kind.turns else ("speed", "mm/s"))),
        torque=_typed_quantity(joint.effort if kind.turns else None, "torque", "N m"),
        force=_typed_quantity(None if kind.turns else joint.effort, "force", "N"),
        entity=joint.entity,
        kind=kind.value,
        base=joint.base,
        moves=moves,
        reverse=earlier is not None and earlier.reverse,
        position=0.0 if earlier is None else earlier.position,
    )


def _typed_quantity(value: float | None, dimension: str, unit: str) -> str | None:
    return None if value is None else format_quantity(value, dimension, unit)
