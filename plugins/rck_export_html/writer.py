"""Putting the page together: everything it needs is inside it."""

import json
from html import escape
from importlib.resources import files
from string import Template

from rck.exporting import link_tree, lost, shapes_of
from rck.exporting.losses import lost_by_all
from rck.exporting.web import bundled
from rck.hooks import Exported, Job, Values
from rck.model import Robot
from rck_export_html import tables
from rck_export_html.scene import scene_data


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """The page, and what it does not show."""
    tree = link_tree(robot)
    data = scene_data(tree, shapes_of(robot))
    job.progress(0.6, "page")
    here = files("rck_export_html")
    page = Template(here.joinpath("page.html").read_text(encoding="utf-8")).substitute(
        title=escape(robot.name),
        style=here.joinpath("page.css").read_text(encoding="utf-8"),
        overview=tables.overview(robot),
        joints=tables.joints(robot),
        items=tables.items(robot),
        # A name with </script> in it must not end the script.
        scene=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        script=bundled(here.joinpath("viewer.js").read_text(encoding="utf-8")),
    )
    findings = [*lost_by_all(robot, name)]
    if any(item.visuals and item.subitems for item in robot.items):
        findings.append(lost(name, "what only collides is left out; the page shows what is seen"))
    if any(item.mass for item in robot.items):
        findings.append(lost(name, "the page tells masses, and no inertias"))
    return Exported({name: page.encode()}, tuple(findings))
