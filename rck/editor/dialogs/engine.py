"""The dialog that chooses a solver, a collision backend, a physics engine or a viewer."""

from typing import Literal, TypeAlias

from rck.editor.dialogs.basic import ListChoice, ListDialog
from rck.hooks import CollisionBackend, Physics, Plugins, Solver, Viewer

Role: TypeAlias = Literal["solver", "collision", "physics", "viewer"]
KINDS: dict[Role, type[Solver] | type[CollisionBackend] | type[Physics] | type[Viewer]] = {
    "solver": Solver,
    "collision": CollisionBackend,
    "physics": Physics,
    "viewer": Viewer,
}
TITLES: dict[Role, str] = {
    "solver": "IK solver of the Move screen",
    "collision": "Collision backend of the Move screen",
    "physics": "Physics engine of the Simulate screen",
    "viewer": "Open the robot in",
}
_DEFAULTS: dict[Role, str] = {
    "solver": "automatic: the best one for each arm",
    "physics": "none: kinematic motion only",
}


class EngineDialog(ListDialog):
    """The available engines for a role; returns a name, which is empty for the default."""

    def __init__(self, role: Role, plugins: Plugins, chosen: str) -> None:
        choices = [ListChoice("", "-", _DEFAULTS[role])] if role in _DEFAULTS else []
        choices += [ListChoice(engine.name, engine.name, engine.summary) for engine in plugins.all(KINDS[role])]
        super().__init__(TITLES[role], choices, None if role == "viewer" else chosen)
