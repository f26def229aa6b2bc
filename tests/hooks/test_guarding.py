"""Whatever a plugin contributed, and whatever that makes, is called with a guard: for every function of every kind."""

import dataclasses
import threading
from pathlib import Path
from typing import get_args

import click
import numpy as np
import pytest

from rck.hooks import HOOK_OF_KIND, Check, Job, Mount, Sensor, guarding, hookimpl
from rck.hooks.guarding import _callable_in, _returns_of, guarded
from rck.hooks.kinds import Remembering
from rck.hooks.manager import Plugins
from rck.model import RckError
from rck.testing.surroundings import arm_before_a_wall

NEEDED = {"name": "mine", "summary": "mine", "endings": (".mine",), "folder": Path(), "usage": "mine",
          "command": click.Command("mine")}  # fmt: skip
FUNCTIONS = [
    pytest.param(kind, field.name, id=f"{kind.__name__}.{field.name}")
    for kind in HOOK_OF_KIND
    for field in dataclasses.fields(kind)
    if _callable_in(field.type) is not None
]
"""Every function of every kind, as the annotations have them: a new one is tried by itself."""


def members_of(annotation):
    """The members of the protocol that a function makes something of."""
    returned = get_args(_callable_in(annotation))[1]
    for one in (returned, *get_args(returned)):
        if getattr(one, "_is_protocol", False) and not get_args(one):
            return _returns_of(one)
    return {}


MADE = [
    pytest.param(kind, field.name, member, id=f"{kind.__name__}.{field.name}().{member}")
    for kind in HOOK_OF_KIND
    for field in dataclasses.fields(kind)
    if _callable_in(field.type) is not None
    for member in members_of(field.type)
]


def plugins_with(kind, **functions):
    """The plugins of a run in which a stranger contributed one thing, with these functions."""
    required = [one for one in dataclasses.fields(kind) if one.default is one.default_factory is dataclasses.MISSING]
    given = {one.name: NEEDED.get(one.name, lambda *all: None) for one in required}
    contribution = kind(**{**given, **functions})

    class Stranger:
        pass

    setattr(Stranger, HOOK_OF_KIND[kind], staticmethod(hookimpl(lambda: [contribution], specname=HOOK_OF_KIND[kind])))

    class Point:
        name, value, dist = "stranger", "stranger", None
        load = staticmethod(lambda: Stranger)

    plugins = Plugins([Point()])
    (one,) = plugins.all(kind)
    return plugins, one


def arguments_of(kind, function):
    """Something for each argument; nobody looks at it."""
    annotation = next(one.type for one in dataclasses.fields(kind) if one.name == function)
    return [Job() if one is Job else one for one in get_args(_callable_in(annotation))[0]]


def raising(*arguments, **named):
    raise IndexError("list index out of range")


def refuses(plugins, reason):
    assert [(one.code, one.where) for one in plugins.findings] == [(602, "plugin stranger")]
    assert reason in plugins.findings[0].message


@pytest.mark.parametrize(("kind", "function"), FUNCTIONS)
def test_a_function_that_raises_costs_its_plugin_and_names_it(kind, function):
    plugins, one = plugins_with(kind, **{function: raising})
    with pytest.raises(RckError, match="plugin stranger failed: IndexError: list index out of range"):
        getattr(one, function)(*arguments_of(kind, function))
    refuses(plugins, "IndexError")
    assert plugins.all(kind) == ()


@pytest.mark.parametrize(("kind", "function"), FUNCTIONS)
def test_a_function_that_returns_something_else_costs_its_plugin_and_names_it(kind, function):
    returned = get_args(_callable_in(next(one.type for one in dataclasses.fields(kind) if one.name == function)))[1]
    plugins, one = plugins_with(kind, **{function: lambda *all: 3.5})
    if returned in (None, bool) or returned is type(None) or str(returned) == "typing.Any":
        # Nothing is wrong for these: whoever calls them looks.
        getattr(one, function)(*arguments_of(kind, function))
        assert plugins.findings == ()
        return
    with pytest.raises(RckError, match=r"plugin stranger failed: TypeError: .* mine returned float"):
        getattr(one, function)(*arguments_of(kind, function))
    refuses(plugins, "TypeError")


AT_ONCE = [one for one in FUNCTIONS if one.id not in ("EditorPanel.make", "Viewer.show")]
"""Those that must answer: a widget is made in the editor's own thread, and a viewer waits for its user."""


@pytest.mark.parametrize(("kind", "function"), AT_ONCE)
def test_a_function_that_hangs_is_left_behind_and_named(kind, function, monkeypatch):
    monkeypatch.setattr(guarding, "TO_ANSWER", 0.05)
    monkeypatch.setattr(guarding, "TO_STOP", 0.05)
    given = arguments_of(kind, function)
    plugins, one = plugins_with(kind, **{function: lambda *all: threading.Event().wait()})
    for job in given:
        if isinstance(job, Job):
            job.cancel()
    with pytest.raises(RckError, match=r"plugin stranger failed: Hangs: it did not (come back|stop) within 0\.05 s"):
        getattr(one, function)(*given)
    refuses(plugins, "Hangs")


@pytest.mark.parametrize(("kind", "function", "member"), MADE)
def test_what_a_function_makes_is_guarded_too(kind, function, member):
    annotation = next(one.type for one in dataclasses.fields(kind) if one.name == function)
    made = type("Made", (), {name: staticmethod(raising) for name in members_of(annotation)})()
    plugins, one = plugins_with(kind, **{function: lambda *all: made})
    thing = getattr(one, function)(*arguments_of(kind, function))
    with pytest.raises(RckError, match="plugin stranger failed"):
        getattr(thing, member)()
    refuses(plugins, "IndexError")


def test_an_object_without_what_its_protocol_asks_for_is_refused_with_what_is_missing():
    _, one = plugins_with(Sensor, make=lambda *all: object())
    with pytest.raises(RckError, match="sensor mine returned object, which has no read"):
        one.make(None, None, {})


def test_a_generator_that_fails_on_the_way_is_contained():
    def run(robot):
        yield raising()

    _, check = plugins_with(Check, run=run)
    with pytest.raises(RckError, match="plugin stranger failed: IndexError"):
        check.run(None)
    _, other = plugins_with(Check, run=lambda robot: iter(["heavy"]))
    with pytest.raises(RckError, match=r"check mine returned something wrong: \[0\] is str, not Finding"):
        other.run(None)


def test_a_refusal_harms_nobody():
    def refuse(robot):
        raise RckError("too heavy")

    plugins, check = plugins_with(Check, run=refuse)
    with pytest.raises(RckError, match=r"^too heavy$"):
        check.run(None)
    assert plugins.findings == ()
    assert len(plugins.all(Check)) == 1


def test_what_stands_before_an_object_shows_all_that_it_has_and_is_copied_with_its_past():
    from copy import deepcopy

    class Counting:
        def __init__(self):
            self.count = 0

        def read(self, world):
            self.count += 1
            return {"count": np.array([self.count])}

        def memory(self):
            return self.count

        def recall(self, memory):
            self.count = memory

    _, sensor = plugins_with(Sensor, make=lambda *all: Counting())
    world, mount = arm_before_a_wall()
    assert isinstance(mount, Mount)
    reader = sensor.make(world.robot, mount, {})
    assert isinstance(reader, Remembering)
    assert reader.read(world)["count"] == 1
    other = deepcopy(reader)
    reader.recall(7)
    assert (reader.count, other.count) == (7, 1)


def test_a_function_that_was_given_a_job_takes_its_time_until_that_is_stopped(monkeypatch):
    from contextlib import nullcontext

    from rck.hooks import Exported, Exporter

    monkeypatch.setattr(guarding, "TO_ANSWER", 0.01)
    slow = threading.Event()

    def write(robot, name, values, job):
        slow.wait(0.2)
        return Exported({name: b""})

    exporter = guarded(Exporter("slow", "slow", (".slow",), write), nullcontext)
    assert exporter.write(None, "a.slow", {}, Job()).files == {"a.slow": b""}
