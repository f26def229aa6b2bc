"""Masses of links for formats whose programs refuse massless bodies."""

import numpy as np

from rck.exporting.link_tree import LinkTree
from rck.geometry.arrays import frozen
from rck.geometry.mass_properties import MassProperties

LEAST_BODY = MassProperties(1e-9, frozen(np.zeros(3)), frozen(np.eye(3) * 1e-10))
"""The mass, in kg and kg m2, of a moving body without mass: so small that the motion of the others hardly changes."""


def massless_links(tree: LinkTree) -> list[str]:
    """Return the names of the links of moving rigid groups without mass."""
    massive = {link.group for link in tree.links if link.mass_properties.mass > 0}
    moving = {link.group for link in tree.links if link.mover is not None or link.floats}
    return [link.name for link in tree.links if link.group in moving - massive]
