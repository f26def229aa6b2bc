"""Rendering of robots: cameras, scenes, images, terminal cells and image files."""

from rck.rendering.ansi_text import ColourDepth, ansi_text, colour_depth
from rck.rendering.camera import (
    VIEWS,
    Camera,
    angles,
    at_angles,
    fit,
    named_camera,
    orbit,
    pan,
    roll,
    zoom,
)
from rck.rendering.image_file import gif_bytes, png_bytes
from rck.rendering.palette import DARK, LIGHT, PALETTES, Palette, sixteen_colours
from rck.rendering.picture import FINE, QUICK, SCREEN, Finish, Picture, draw
from rck.rendering.posed_robot import PosedRobot, RenderShapes, pose_robot
from rck.rendering.scene import Floor, Label, PortMark, Scene, floor_for, points_of
from rck.rendering.terminal_cells import (
    BLOCKS,
    HALF,
    QUADRANT,
    SEXTANT,
    Cells,
    block_cells,
    runs,
    sign_cells,
    with_labels,
)
from rck.rendering.terminal_pixels import Protocol, detect, kitty_text, sixel_text
from rck.rendering.viewport import Viewport, open_window, project, window_rays
from rck.rendering.visibility import RayHits, VisibilityBuffer, cast, look
from rck.rendering.wireframe import Hidden, wire_cells, wire_picture

__all__ = [
    "BLOCKS",
    "DARK",
    "FINE",
    "HALF",
    "LIGHT",
    "PALETTES",
    "QUADRANT",
    "QUICK",
    "SCREEN",
    "SEXTANT",
    "VIEWS",
    "Camera",
    "Cells",
    "ColourDepth",
    "Finish",
    "Floor",
    "Hidden",
    "Label",
    "Palette",
    "Picture",
    "PortMark",
    "PosedRobot",
    "Protocol",
    "RayHits",
    "RenderShapes",
    "Scene",
    "Viewport",
    "VisibilityBuffer",
    "angles",
    "ansi_text",
    "at_angles",
    "block_cells",
    "cast",
    "colour_depth",
    "detect",
    "draw",
    "fit",
    "floor_for",
    "gif_bytes",
    "kitty_text",
    "look",
    "named_camera",
    "open_window",
    "orbit",
    "pan",
    "png_bytes",
    "points_of",
    "pose_robot",
    "project",
    "roll",
    "runs",
    "sign_cells",
    "sixel_text",
    "sixteen_colours",
    "window_rays",
    "wire_cells",
    "wire_picture",
    "with_labels",
    "zoom",
]
