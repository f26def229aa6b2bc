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


def _moved(workbench: Workbench) -> bool:
    return any(setting.position is not None for setting in workbench.assembly.joints.values())


STEPS = (
    Step(
        "1 of 6  A base",
        "Press / and type  round base,  then Enter. The base stands on the floor at once.",
        lambda workbench: _placed(workbench, 1),
    ),
    Step(
        "2 of 6  A servo",
        "Press / and type  xm540,  then Enter. The ghost shows the servo on the base. t turns it, n goes to"
        " another port; Enter accepts.",
        lambda workbench: _joints(workbench) >= 1,
    ),
    Step(
        "3 of 6  A link",
        "Press / and type  tube link,  then Enter: it goes onto the horn of the servo. Enter accepts.",
        lambda workbench: _placed(workbench, 3) and _joints(workbench) >= 1,
    ),
    Step(
        "4 of 6  Another servo",
        "Once more: /  xm430  Enter, and Enter again. The assembly on the right shows what stands on what.",
        lambda workbench: _joints(workbench) >= 2,
    ),
    Step(
        "5 of 6  A change, and back",
        "Select the link in the assembly (key 2), open the inspector (key 3), change its length to 150 and press Enter. Ctrl+Z"
        " takes anything back, ctrl+Y does it again.",
        lambda workbench: any(line.startswith("set ") for line in workbench.commands),
    ),
    Step(
        "6 of 6  Move it",
        "Press F3. Left and right swing the joint, up and down choose another. That is your arm.",
        _moved,
    ),
)


def current_step(workbench: Workbench, begun: int) -> int:
    """The first step that is not done yet, from the one that was begun on."""
    step = begun
    while step < len(STEPS) and STEPS[step].done(workbench):
        step += 1
    return step
