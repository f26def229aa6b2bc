"""How plugins reach RCK: the hook specifications, the kinds of contribution, and the plugin manager."""

from rck.hooks.folders import config_folder, data_folder
from rck.hooks.job import Job
from rck.hooks.kinds import (
    Check,
    CliCommand,
    CollisionBackend,
    CollisionScene,
    Command,
    EditorPanel,
    Exported,
    Exporter,
    Gripper,
    Imported,
    Importer,
    Option,
    Page,
    PartLibrary,
    Physics,
    PhysicsWorld,
    Plate,
    ProgramLanguage,
    Remembering,
    Sensor,
    SensorReader,
    Solver,
    Values,
    Viewer,
)
from rck.hooks.manager import PluginInfo, Plugins, discover
from rck.hooks.needs import Need
from rck.hooks.options import read_options
from rck.hooks.programs import Program
from rck.hooks.recipe import Recipe, RecipeJoint, read_recipe, recipe_of, recipe_path, write_recipe
from rck.hooks.sensing import Echo, Mount, Press, Surroundings, world_from
from rck.hooks.solving import Answer, ChainSolver, Goal, Wants, no_solutions
from rck.hooks.specs import HOOK_OF_KIND, hookimpl
from rck.hooks.survey import FoundPiece, PortFrame, ProposedJoint, Survey
from rck.model.finding import Cancelled

__all__ = [
    "HOOK_OF_KIND",
    "Answer",
    "Cancelled",
    "ChainSolver",
    "Check",
    "CliCommand",
    "CollisionBackend",
    "CollisionScene",
    "Command",
    "Echo",
    "EditorPanel",
    "Exported",
    "Exporter",
    "FoundPiece",
    "Goal",
    "Gripper",
    "Imported",
    "Importer",
    "Job",
    "Mount",
    "Need",
    "Option",
    "Page",
    "PartLibrary",
    "Physics",
    "PhysicsWorld",
    "Plate",
    "PluginInfo",
    "Plugins",
    "PortFrame",
    "Press",
    "Program",
    "ProgramLanguage",
    "ProposedJoint",
    "Recipe",
    "RecipeJoint",
    "Remembering",
    "Sensor",
    "SensorReader",
    "Solver",
    "Surroundings",
    "Survey",
    "Values",
    "Viewer",
    "Wants",
    "config_folder",
    "data_folder",
    "discover",
    "hookimpl",
    "no_solutions",
    "read_options",
    "read_recipe",
    "recipe_of",
    "recipe_path",
    "world_from",
    "write_recipe",
]
