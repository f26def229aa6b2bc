"""Masses of links for formats whose programs refuse massless or impossible bodies."""

from collections.abc import Iterable, Iterator

import numpy as np

from rck.exporting.link_tree import ExportLink, LinkTree
from rck.exporting.losses import list_names, loss
from rck.geometry.arrays import frozen
from rck.geometry.mass_properties import MassProperties
from rck.model.item import mass_findings
from rck.support.finding import Finding

LEAST_BODY = MassProperties(1e-9, frozen(np.zeros(3)), frozen(np.eye(3) * 1e-10))
"""The mass, in kg and kg m2, of a moving body without mass: so small that the motion of the others hardly changes."""


def massless_links(tree: LinkTree) -> list[str]:
    """Return the names of the links of moving rigid groups without mass."""
    massive = {link.group for link in tree.links if link.mass_properties.mass > 0}
    moving = {link.group for link in tree.links if link.mover is not None or link.floats}
    return [link.name for link in tree.links if link.group in moving - massive]


def impossible_links(links: Iterable[ExportLink]) -> list[str]:
    """Return the names of the links with an inertia that no body can have."""
    return [link.name for link in links if mass_findings(link.mass_properties, link.name)]


def mass_losses(tree: LinkTree, where: str, *, massless: str, impossible: str) -> Iterator[Finding]:
    """Yield a warning for massless links that move and for impossible inertias; the texts tell what was written."""
    fix = "correct it in the model, or import the source file with repair-inertia=yes"
    for names, text, advice in (
        (massless_links(tree), massless, "give them a mass"),
        (impossible_links(tree.links), impossible, fix),
    ):
        if names and text:
            yield loss(where, f"{text}: {list_names(names)}", changes_behaviour=True, fix=advice)
