"""Pictures of robots: cameras, scenes, pixels, terminal cells and files. Numba is imported when the first is drawn."""

from rck.render.ansi import ColourDepth, ansi_text, colour_depth
from rck.render.camera import (
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
from rck.render.cells import BLOCKS, HALF, QUADRANT, SEXTANT, Cells, block_cells, runs, sign_cells, with_labels
from rck.render.figure import Figure, Shapes, figure_of
from rck.render.image_file import gif_bytes, png_bytes
from rck.render.palette import DARK, LIGHT, PALETTES, Palette, sixteen_colours
from rck.render.picture import FINE, QUICK, SCREEN, Finish, Picture, draw
from rck.render.pixels import Protocol, detect, kitty_text, sixel_text
from rck.render.scene import Floor, Label, PortMark, Scene, floor_for, points_of
from rck.render.sight import Met, Sight, cast, look
from rck.render.window import Window, open_window, project, window_rays
from rck.render.wireframe import Hidden, wire_cells, wire_picture

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
    "Figure",
    "Finish",
    "Floor",
    "Hidden",
    "Label",
    "Met",
    "Palette",
    "Picture",
    "PortMark",
    "Protocol",
    "Scene",
    "Shapes",
    "Sight",
    "Window",
    "angles",
    "ansi_text",
    "at_angles",
    "block_cells",
    "cast",
    "colour_depth",
    "detect",
    "draw",
    "figure_of",
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
