"""The import of a file in the editor: the user's decisions, with undo, and what the importer makes of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from rck.editor import import_survey
from rck.hooks import Importer, Job, Plugins, RegionRole
from rck.hooks.file_exchange import import_values, importer_for, read_with
from rck.hooks.options import read_options
from rck.hooks.recipe import Recipe, read_recipe, with_item, with_joint, with_role, without_names, write_recipe
from rck.hooks.survey import ProposedJoint, Survey
from rck.model import RckError

_MOST_STEPS = 200
"""Maximum number of decisions that can be undone."""


@dataclass(frozen=True, eq=False)
class ImportDraft:
    """Decisions about a file, and the survey that results from them."""

    recipe: Recipe
    survey: Survey
    is_current: bool
    """True if the survey accounts for all decisions; False until the importer has been asked."""


class FileImport:
    """A file that is to be imported, with its drafts."""

    def __init__(self, path: Path, plugins: Plugins) -> None:
        self.path = path
        self._plugins = plugins
        self.importer: Importer = importer_for(path, plugins)
        self.saved = read_recipe(path) if self.keeps_recipe else Recipe()
        """The recipe next to the file."""
        self._drafts = [ImportDraft(self.saved, Survey(), is_current=False)]
        self._place = 0

    @property
    def keeps_recipe(self) -> bool:
        """True if the decisions can be stored in a recipe."""
        return self.importer.survey is not None

    @property
    def draft(self) -> ImportDraft:
        """The current draft."""
        return self._drafts[self._place]

    @property
    def survey(self) -> Survey:
        """The survey of the current draft."""
        return self.draft.survey

    @property
    def is_saved(self) -> bool:
        """True if the recipe next to the file has all decisions."""
        return self.draft.recipe == self.saved

    def read(self, draft: ImportDraft, job: Job) -> Survey:
        """Return the survey with the decisions of a draft; may run in another thread."""
        values = import_values(self.importer, self.path, draft.recipe.given, draft.recipe)
        if self.importer.survey is None:
            if values.get("convex") == "cut" and values.get("visuals", True):
                # Cutting takes long, and the surfaces are displayed instead of the pieces.
                values = {**values, "convex": "hull"}
            return import_survey.survey_of(read_with(self.importer, self.path, self._plugins, values, job))
        revise = draft.survey.revise
        if revise is None:
            return self.importer.survey(self.path, values, job)
        with self._plugins.guard(self.importer, str(self.path)):
            return revise(values, job)

    def take(self, draft: ImportDraft, survey: Survey) -> None:
        """Complete a draft with its survey."""
        if draft in self._drafts:
            self._drafts[self._drafts.index(draft)] = replace(draft, survey=survey, is_current=True)

    def undo(self) -> bool:
        """Return to the draft before the last decision; return False if there is none."""
        self._place = max(self._place - 1, 0)
        return self._place < len(self._drafts) - 1

    def redo(self) -> bool:
        """Restore the decision that was undone last; return False if there is none."""
        if self._place == len(self._drafts) - 1:
            return False
        self._place += 1
        return True

    def set_option(self, name: str, value: str) -> None:
        """Set an option of the importer; an empty value restores its default. Raise an error if it is refused."""
        options = {other: text for other, text in self.draft.recipe.options.items() if other != name}
        if value:
            read_options(self.importer.options, {name: value})
            options[name] = value
        self._decide(msgspec.structs.replace(self.draft.recipe, options=options), self.survey, is_current=False)

    def set_options(self, given: Mapping[str, str]) -> None:
        """Set several options of the importer in one step."""
        read_options(self.importer.options, given)
        options = {**self.draft.recipe.options, **given}
        self._decide(msgspec.structs.replace(self.draft.recipe, options=options), self.survey, is_current=False)

    def set_role(self, names: Sequence[str], role: RegionRole) -> None:
        """Set the role of regions."""
        survey = import_survey.with_role(self.survey, frozenset(names), role)
        self._decide(with_role(self.draft.recipe, names, role), survey, is_current=False)

    def restore_regions(self, names: Sequence[str]) -> None:
        """Return regions to the role that the importer proposes."""
        self._decide(without_names(self.draft.recipe, names), self.survey, is_current=False)

    def leave_out_regions(self, names: Sequence[str]) -> None:
        """Leave out regions; return them to their proposed role if all of them were left out before."""
        recipe = self.draft.recipe
        if all(recipe.regions.get(name) == "ignored" for name in names):
            self.restore_regions(names)
        else:
            self.set_role(names, "ignored")

    def leave_out_parts(self, parts: Sequence[str]) -> None:
        """Leave out parts of the file; take them in again if all of them were left out before."""
        if all(part.item == "" for part in self.survey.pieces if part.name in parts):
            self._decide(without_names(self.draft.recipe, parts), self.survey, is_current=False)
        else:
            self.set_item(parts, "")

    def leave_out(self, names: Sequence[str]) -> None:
        """Leave out entities that cannot be used, by the name of the entity or of its region."""
        self._decide(with_item(self.draft.recipe, names, ""), self.survey, is_current=False)

    def switch_layer(self, layer: str) -> None:
        """Exclude a layer with the option `skip`, or import it again."""
        words = [word.strip() for word in self.draft.recipe.given.get("skip", "").split(",") if word.strip()]
        others = [word for word in words if word.lower() != layer.lower()]
        self.set_option("skip", ",".join(others if len(others) < len(words) else [*words, layer]))

    def set_item(self, parts: Sequence[str], item: str) -> None:
        """Assign parts of the file to an item; an empty item leaves them out."""
        names = [part.region or part.name for part in self.survey.pieces if part.name in parts]
        survey = import_survey.assign_item(self.survey, frozenset(parts), item)
        self._decide(with_item(self.draft.recipe, names, item), survey, is_current=self.draft.is_current)

    def declare_joint(self, part: str) -> ProposedJoint | None:
        """Turn a part into a joint about its major axis; return None if it has no shape, or is one already."""
        survey = import_survey.declare_joint(self.survey, part)
        if survey is self.survey:
            return None
        joint = survey.joints[-1]
        self._decide(with_joint(self.draft.recipe, joint), survey, is_current=self.draft.is_current)
        return joint

    def connect_joint(self, name: str, text: str) -> None:
        """Set the kind of a joint and the items that it connects, from text such as `revolute BASE > ARM`."""
        joint = next(joint for joint in self.survey.joints if joint.name == name)
        items = frozenset(part.item for part in self.survey.pieces if part.item)
        kind, base, moves = import_survey.read_connection(text, joint, items)
        connected = replace(joint, kind=kind, base=base, moves=moves, doubt="")
        survey = import_survey.with_connection(self.survey, connected)
        self._decide(with_joint(self.draft.recipe, connected), survey, is_current=self.draft.is_current)

    def _decide(self, recipe: Recipe, survey: Survey, *, is_current: bool) -> None:
        drafts = self._drafts[: self._place + 1]
        self._drafts = [*drafts, ImportDraft(recipe, survey, is_current)][-_MOST_STEPS:]
        self._place = len(self._drafts) - 1

    def save(self) -> Path | None:
        """Write the recipe next to the file if it has changed; return its path, or None."""
        if not self.keeps_recipe or self.is_saved:
            return None
        recipe = self.draft.recipe
        # Check the options first: a recipe must not store options that are refused.
        read_options(self.importer.options, recipe.given)
        path = write_recipe(self.path, recipe)
        self.saved = recipe
        return path

    @property
    def changed_options(self) -> dict[str, str]:
        """Options that differ from those of the recipe next to the file; all options without a recipe."""
        known = self.saved.given if self.keeps_recipe else {}
        return {name: value for name, value in self.draft.recipe.given.items() if known.get(name) != value}


def unusable(survey: Survey) -> list[tuple[str, str, list[str]]]:
    """Return reason, remedy and names of the parts that cannot be used, those with the same reason together."""
    groups: dict[tuple[str, str], list[str]] = {}
    for part in survey.pieces:
        if part.refused:
            groups.setdefault((part.refused, part.fix), []).append(part.region or part.name)
    return [(why, fix, names) for (why, fix), names in groups.items()]


def require_usable(survey: Survey) -> None:
    """Raise an error if a joint is not connected."""
    doubtful = [joint for joint in survey.joints if joint.doubt]
    if doubtful:
        raise RckError(f"joint {doubtful[0].name}: {doubtful[0].doubt}")
