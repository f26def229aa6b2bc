"""The reachable workspace of a tool, computed in the background and shown as points in the views."""

from dataclasses import dataclass

import numpy as np
from rich.text import Text

from rck.collision.scene import scene_as_built
from rck.editor.engines import Engine
from rck.editor.robot_checks import has_same_structure
from rck.geometry.transforms import apply
from rck.hooks import Job, Plugins
from rck.kinematics.chain import Chain, chain_between, poses_at, start_box
from rck.kinematics.solver_choice import solver_for
from rck.kinematics.tip import root_of
from rck.kinematics.workspace import Workspace, spread, workspace
from rck.kinematics.workspace_file import colours_of, cut_open
from rck.model import RckError, Robot
from rck.rendering.scene import PointCloud

_DOT_SIZE = 0.12
"""Size of a dot, relative to its cell."""
_SAMPLES = 12
"""Number of joint vectors that are used to compare two chains."""
_LEGEND_WIDTH = 8


@dataclass(frozen=True, eq=False)
class ReachMap:
    """The workspace of one tool. Create one with :func:`compute_reach`."""

    chain: Chain
    workspace: Workspace
    cloud: PointCloud
    """The centres of the cells, without those in front of the base, so that the arm stays visible."""

    def is_valid_for(self, robot: Robot) -> bool:
        """Return True if the map also holds for this robot: only its joints have moved."""
        known = self.chain
        if not has_same_structure(known.robot, robot):
            return False
        try:
            chain = chain_between(robot, known.base, known.tip)
        except RckError:
            return False
        if chain.joints != known.joints or not np.array_equal(start_box(chain), start_box(known)):
            return False
        samples = spread(_SAMPLES, start_box(known))
        return np.allclose(poses_at(chain, samples)[1], poses_at(known, samples)[1], atol=1e-9)

    def summary(self) -> Text:
        """Return the figures of the map, and the legend of its colours."""
        found = self.workspace
        text = Text().append(f"{self.chain.tip} reaches ", "bold")
        text.append(f"{len(found.centres):,} cells of {1000 * found.cell:.0f} mm, {found.volume:.3g} m³\n")
        text.append(f"  {found.reachable.mean():.0%} of orientations per cell", "dim")
        text.append(f", {found.free.mean():.0%} without collision\n  manipulability 0 ", "dim")
        for red, green, blue in (255 * colours_of(np.linspace(0, 1, _LEGEND_WIDTH))).astype(int).tolist():
            text.append("■", f"rgb({red},{green},{blue})")
        return text.append(f" {found.manipulability.max():.2g}\n", "dim")


def compute_reach(plugins: Plugins, robot: Robot, tool: str, job: Job, solver: Engine) -> ReachMap:
    """Compute the workspace of a tool; takes seconds. Raises :class:`RckError` if no joint moves the tool.

    `solver` is the IK solver; without a name, the best one.
    """
    base = root_of(robot, tool)
    chain = chain_between(robot, base, tool)
    chain_solver = solver_for(plugins, robot, base, tool, solver.name or None, solver.given)
    found = workspace(chain, chain_solver, touches=scene_as_built(robot).touches_batch, job=job)
    # Sort from back to front, as seen in the standard views.
    visible = np.flatnonzero(cut_open(found))
    visible = visible[np.argsort(-found.centres[visible, 1], kind="stable")]
    colours = colours_of(found.manipulability[visible] / max(float(found.manipulability.max()), 1e-12))
    points = apply(robot.item(base).pose, found.centres[visible])
    return ReachMap(chain, found, PointCloud(points, colours, _DOT_SIZE * found.cell))
