"""The tutorial inside the editor: six short steps that end with an arm that moves."""

from collections.abc import Callable
from dataclasses import dataclass

from rck.editor.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do, and how the editor knows that it was done."""

    title: str
    text: str
    done: Callable[[Workbench], bool]


def _placed(workbench: Workbench, count: int) -> bool:
    return len(workbench.assembly.parts) >= count


def _joints(workbench: Workbench) -> int:
    compiled = workbench.built.value
    return 0 if compiled is None else len(compiled.robot.free_joints)


def _changed(workbench: Workbench) -> bool:
    return any(command.startswith("set ") for command, _ in workbench.session.history.past)


def _moved(workbench: Workbench) -> bool:
    return any(setting.position is not None for setting in workbench.assembly.joints.values())


STEPS = (
    Step(
        "A base",
        "Press / and type  round base,  then Enter. The base stands on the floor at once.",
        lambda workbench: _placed(workbench, 1),
    ),
    Step(
        "A servo",
        "Press / and type  xm540,  then Enter. The ghost shows the servo on the base: t turns it, n goes to another"
        " port, Escape leaves. Enter accepts.",
        lambda workbench: _joints(workbench) >= 1,
    ),
    Step(
        "A link",
        "Press / and type  bar link,  then Enter: it goes onto the horn of the servo. Enter accepts.",
        lambda workbench: _placed(workbench, 3),
    ),
    Step(
        "Another servo",
        "Once more: /  xm430  Enter, and Enter again. The assembly (key 2) shows what stands on what.",
        lambda workbench: _joints(workbench) >= 2,
    ),
    Step(
        "A change, and back",
        "Key 2, arrows to the link, key 3: change its length to 150 and press Enter. Ctrl+Z takes anything back, ctrl+Y"
        " does it again.",
        _changed,
    ),
    Step(
        "Move it",
        "Press F3. Left and right swing the joint, up and down choose another. That is your arm.",
        _moved,
    ),
)


def current_step(workbench: Workbench, reached: int = 0) -> int:
    """The first step that is not done yet; those before the one that was reached count as done, even if undone."""
    steps = enumerate(STEPS[reached:], reached)
    return next((number for number, step in steps if not step.done(workbench)), len(STEPS))
