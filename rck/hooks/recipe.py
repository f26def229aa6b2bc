"""Import recipes: the options and decisions of a user for one file, stored in the same folder for the next import.

The recipe of `side.dxf` is `side.dxf.recipe.yaml`. Importers with a survey use recipes.
"""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

import msgspec

from rck.hooks.drawing import RegionRole
from rck.hooks.survey import ProposedJoint
from rck.model.joint_spec import JointRatings, in_key_order
from rck.model.quantities import Quantity
from rck.support.files import write_atomically
from rck.support.plain_yaml import dump_block
from rck.support.typed_yaml import Strict, convert, parse, read_text
from rck.support.units import parse_quantity

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
    """Entities of each item, a plate by its region; names may contain the wildcards `*` and `?`."""
    joints: dict[str, RecipeJoint] = {}
    leave_out: list[str] = []
    """Entities to ignore, a plate by its region; names may contain wildcards."""
    regions: dict[str, RegionRole] = {}
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

    def item_of(self, *names: str) -> str | None:
        """Return the item of an entity with these names; empty if it is ignored, None if it is not in the recipe.

        A name without wildcards takes precedence over one with wildcards.
        """
        for match in (_is_listed, _is_matched):
            if match(names, self.leave_out):
                return ""
            item = next((item for item, pieces in self.items.items() if match(names, pieces)), None)
            if item is not None:
                return item
        return None


def _is_listed(names: Sequence[str], patterns: Sequence[str]) -> bool:
    return any(name in patterns for name in names if name)


def _is_matched(names: Sequence[str], patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for name in names if name for pattern in patterns)


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


def with_item(recipe: Recipe, names: Sequence[str], item: str) -> Recipe:
    """Return the recipe with these entities in an item; an empty item leaves them out."""
    items = {other: [name for name in pieces if name not in names] for other, pieces in recipe.items.items()}
    leave_out = [name for name in recipe.leave_out if name not in names]
    if item:
        items[item] = [*items.get(item, []), *names]
    else:
        leave_out += names
    kept = {other: pieces for other, pieces in items.items() if pieces}
    return msgspec.structs.replace(recipe, items=kept, leave_out=leave_out)


def without_names(recipe: Recipe, names: Sequence[str]) -> Recipe:
    """Return the recipe without the items and roles of these entities and regions: the importer decides again."""
    items = {item: [name for name in pieces if name not in names] for item, pieces in recipe.items.items()}
    return msgspec.structs.replace(
        recipe,
        items={item: pieces for item, pieces in items.items() if pieces},
        leave_out=[name for name in recipe.leave_out if name not in names],
        regions={name: role for name, role in recipe.regions.items() if name not in names},
    )


def with_role(recipe: Recipe, names: Sequence[str], role: RegionRole) -> Recipe:
    """Return the recipe with this role of regions."""
    return msgspec.structs.replace(recipe, regions={**recipe.regions, **dict.fromkeys(names, role)})


def with_joint(recipe: Recipe, joint: ProposedJoint) -> Recipe:
    """Return the recipe with the kind of a joint, its entity, and the items that it connects."""
    moves: str | list[str] = joint.moves[0] if len(joint.moves) == 1 else list(joint.moves)
    earlier = recipe.joints.get(joint.name, RecipeJoint())
    stated = msgspec.structs.replace(
        earlier, entity=joint.entity, kind=joint.kind.value, base=joint.base, moves=moves or ""
    )
    return msgspec.structs.replace(recipe, joints={**recipe.joints, joint.name: stated})
