"""Where a tool can get to: a map that is worked out beside the interface and shown as points in the view."""

from dataclasses import dataclass

import numpy as np
from rich.text import Text

from rck.editor.collisions import is_same_but_for_motion
from rck.geometry.transforms import apply
from rck.hooks import Job, Plugins
from rck.kinematics.chain import Chain, chain_between, poses_at, start_box
from rck.kinematics.tip import root_of
from rck.kinematics.workspace import Workspace, spread
from rck.model import RckError, Robot
from rck.render.scene import Cloud

_DOT = 0.12
"""The size of a dot over that of its cell."""
_TRIED = 12
"""Joint vectors by which two chains are told apart."""
_SCALE = 8
"""Signs of the scale that tells what the colours mean."""


@dataclass(frozen=True, eq=False)
class ReachMap:
    """What one tool reaches. Make one with :func:`reach_map`."""

    chain: Chain
    found: Workspace
    cloud: Cloud
    """The middles of the cells, those before the base left out so that the arm is seen; red moves best."""

    def holds_for(self, robot: Robot) -> bool:
        """Whether it is true of a robot: nothing but its joints has moved."""
        known = self.chain
        if not is_same_but_for_motion(known.robot, robot):
            return False
        try:
            chain = chain_between(robot, known.base, known.tip)
        except RckError:
            return False
        if chain.joints != known.joints or not np.array_equal(start_box(chain), start_box(known)):
            return False
        tried = spread(_TRIED, start_box(known))
        return np.allclose(poses_at(chain, tried)[1], poses_at(known, tried)[1], atol=1e-9)

    def told(self) -> Text:
        """The map in figures, and what its colours mean."""
        from rck.kinematics.workspace_file import colours_of

        found = self.found
        text = Text().append(f"{self.chain.tip} reaches ", "bold")
        text.append(f"{len(found.centres):,} cells of {1000 * found.cell:.0f} mm, {found.volume:.3g} m³\n")
        text.append(f"  {found.reachable.mean():.0%} of the orientations there", "dim")
        text.append(f", {found.free.mean():.0%} touch nothing\n  manipulability 0 ", "dim")
        for red, green, blue in (255 * colours_of(np.linspace(0, 1, _SCALE))).astype(int).tolist():
            text.append("■", f"rgb({red},{green},{blue})")
        return text.append(f" {found.manipulability.max():.2g}\n", "dim")


def reach_map(plugins: Plugins, robot: Robot, tool: str, job: Job, by: str = "") -> ReachMap:
    """Work out what a tool reaches; takes seconds, and :class:`RckError` where nothing moves it.

    `by` names the solver; without it, it is the best one that there is.
    """
    from rck.collision.scene import scene_as_built
    from rck.kinematics.solver import solver_for
    from rck.kinematics.workspace import workspace
    from rck.kinematics.workspace_file import colours_of, cut_open

    base = root_of(robot, tool)
    chain = chain_between(robot, base, tool)
    solver = solver_for(plugins, robot, base, tool, by or None)
    found = workspace(chain, solver, touches=scene_as_built(robot).touches_batch, job=job)
    # From the back to the front, as the standard views see it.
    shown = np.flatnonzero(cut_open(found))
    shown = shown[np.argsort(-found.centres[shown, 1], kind="stable")]
    colours = colours_of(found.manipulability[shown] / max(float(found.manipulability.max()), 1e-12))
    return ReachMap(chain, found, Cloud(apply(robot.item(base).pose, found.centres[shown]), colours, _DOT * found.cell))
