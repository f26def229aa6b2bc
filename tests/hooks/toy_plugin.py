"""A plugin with a minimal working implementation of every hook."""

from dataclasses import dataclass
from math import radians
from pathlib import Path

import click
import numpy as np

from rck.hooks import (
    ActionKind,
    Answer,
    Check,
    CliCommand,
    CollisionBackend,
    Command,
    EditorAction,
    EditorPanel,
    EditorScreen,
    Exported,
    Exporter,
    FindingCode,
    Gripper,
    Imported,
    Importer,
    Keymap,
    Option,
    Overlay,
    OverlayShapes,
    PartLibrary,
    Physics,
    Program,
    ProgramLanguage,
    Sensor,
    Settings,
    Solver,
    StartTemplate,
    Theme,
    Viewer,
    hookimpl,
    world_from,
)
from rck.hooks.actions import Action, MoveJoints, ProgramLine
from rck.model import Finding, Item, PartDefinition, RckError, Severity, at_positions
from rck.simulation.action_types import ActionType

SEEN = []


@hookimpl
def rck_part_libraries():
    return [PartLibrary("toys", "toy parts", Path(__file__).parent / "parts")]


def _read(path, values, job):
    job.progress(0.5, "reading")
    name = path.read_text().removeprefix("toy ").strip()
    return Imported((PartDefinition(name, (Item(name),)),))


@hookimpl
def rck_importers():
    size = Option("size", "how large", "length", "10")
    return [Importer("toy", "toy files", (".toy",), lambda path, head: head.startswith(b"toy "), _read, (size,))]


@hookimpl
def rck_exporters():
    return [
        Exporter(
            "toy",
            "toy files",
            (".toy",),
            lambda robot, name, values, job: Exported({name: f"toy {robot.name}".encode()}),
        ),
        Exporter("toy-events", "events", (".evt",), lambda events, name, values, job: Exported(), takes="events"),
    ]


class OneJoint:
    """Solver for a robot with one joint about z."""

    joints = ("turn",)

    def solve(self, goal, seed=None, *, most=1, budget=0.005):
        return Answer(np.array([[np.arctan2(goal.pose[1, 0], goal.pose[0, 0])]]), complete=True)


@hookimpl
def rck_solvers():
    def make(robot, base, tip):
        return OneJoint() if len(robot.free_joints) == 1 else None

    return [Solver("one-joint", "one joint about z", make)]


class ByOrigin:
    """Collision scene in which items collide if their origins are less than a metre apart."""

    def __init__(self, robot, allowed):
        self._robot = robot
        self._allowed = allowed

    def touching(self, vector):
        moved = at_positions(self._robot, vector).items
        return [
            (one.name, other.name)
            for place, one in enumerate(moved)
            for other in moved[place + 1 :]
            if (one.name, other.name) not in self._allowed
            if np.linalg.norm(one.pose[:3, 3] - other.pose[:3, 3]) < 1.0
        ]


@hookimpl
def rck_collision_backends():
    return [CollisionBackend("origins", "distance of origins", ByOrigin)]


@hookimpl
def rck_grippers():
    return [
        Gripper(
            "magnet",
            "holds what is mobile",
            lambda world, mount, values, item: "" if world.robot.item(item).mobile else "fixed",
        )
    ]


class Height:
    """Sensor that reads its height."""

    def __init__(self, robot, mount, values):
        self._mount = mount

    def read(self, world):
        return {"height": world_from(world, self._mount)[2:3, 3], "time": np.array([world.time])}


@hookimpl
def rck_sensors():
    return [Sensor("height", "height above ground", Height)]


class Frictionless:
    """Physics in which positions change by effort times time squared."""

    def __init__(self, robot):
        self.positions = robot.positions
        self.speeds = self.efforts = np.zeros_like(robot.positions)
        self.poses = np.array([item.pose for item in robot.items])
        self.velocities = self.accelerations = np.zeros((len(robot.items), 6))
        self.gravity = np.zeros(3)
        self.presses = []

    def step(self, efforts, seconds):
        self.efforts = efforts
        self.positions = self.positions + efforts * seconds**2
        return self.positions

    def hold(self, item, hand):
        pass

    def let_go(self, item):
        pass

    def steer(self, targets, seconds):
        self.positions = targets
        return self.positions

    def memory(self):
        return self.positions.tolist()

    def recall(self, memory):
        self.positions = np.array(memory)


@hookimpl
def rck_physics():
    return [Physics("frictionless", "no friction, unit inertia", lambda robot, values: Frictionless(robot))]


@hookimpl
def rck_program_languages():
    def compile_(text, robot):
        _, angle = text.split()
        return Program((ProgramLine(1, text, MoveJoints(robot.name, (radians(float(angle)),), relative=True)),))

    return [ProgramLanguage("turn", "turn DEGREES", (".turn",), compile_)]


@hookimpl
def rck_viewers():
    return [Viewer("list", "remembers what it was shown", lambda robot, values: SEEN.append(robot.name))]


@hookimpl
def rck_commands():
    return [Command("double", "twice as much", run=lambda document, arguments: (document * 2, ""))]


@click.command("hello")
def hello():
    """Say hello."""
    click.echo("hello from a plugin")


@hookimpl
def rck_cli_commands():
    return [CliCommand("hello", "say hello", hello)]


@hookimpl
def rck_editor_panels():
    return [EditorPanel("notes", "a panel", lambda context: [context.screen])]


@hookimpl
def rck_editor_screens():
    return [EditorScreen("page", "a screen", lambda context: ["page"])]


@hookimpl
def rck_editor_actions():
    return [EditorAction("home", "go home", lambda context: context.do("go home"))]


@hookimpl
def rck_overlays():
    return [Overlay("nothing", "draws nothing", lambda context: OverlayShapes())]


@hookimpl
def rck_themes():
    return [Theme("red", "red", {"primary": "#aa0000"})]


@hookimpl
def rck_keymaps():
    return [Keymap("one-key", "one key", {"undo": "u"})]


@hookimpl
def rck_start_templates():
    return [StartTemplate("block", "a block", "make box block size=1,1,1")]


@hookimpl
def rck_checks():
    def run(robot):
        if len(robot.items) > 1:
            yield Finding(610, Severity.WARNING, f"robot {robot.name}", "has more than one item")

    return [Check("hermit", "a robot should be alone", run)]


@hookimpl
def rck_finding_codes():
    return [FindingCode("TOY101", "a toy is broken", "Repair it.")]


@hookimpl
def rck_settings():
    return [Settings("toy", "toys", (Option("volume", "how loud", "number", 3.0),))]


@dataclass(frozen=True)
class Squeak(Action):
    """An action without arguments."""


class SqueakType(ActionType[Squeak]):
    """How a toy squeaks."""

    def from_words(self, words, robot):
        if words:
            raise RckError("squeak takes no words")
        return Squeak()

    def begin(self, simulation, event, action):
        simulation.complete(event)


@hookimpl
def rck_actions():
    return [ActionKind("squeak", "squeak once", Squeak, SqueakType())]
