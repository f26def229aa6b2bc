"""Small pictures of parts, in cells; each is drawn once for a size."""

from rich.color import Color
from rich.style import Style
from rich.text import Text

from rck.catalogue.library import Catalogue
from rck.catalogue.recent import Recent


class PartPictures:
    """Draws the parts of a catalogue. Drawing takes a while: call it in a thread."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._drawn: Recent[tuple[str, int, int, bool, bool], Text] = Recent()

    def draw(self, part: str, width: int, height: int, *, dark: bool, coloured: bool) -> Text:
        """A part, `width` by `height` cells; :class:`RckError` where it cannot be built."""
        key = (part, width, height, dark, coloured)
        return self._drawn.get(key, lambda: self._picture(part, width, height, dark, coloured))

    def _picture(self, part: str, width: int, height: int, dark: bool, coloured: bool) -> Text:
        # Drawing brings the kernels with it, which nobody waits for at the start.
        from rck.render.camera import fit, named_camera
        from rck.render.cells import HALF, QUADRANT, block_cells, runs, sign_cells
        from rck.render.figure import figure_of
        from rck.render.palette import DARK, LIGHT
        from rck.render.picture import draw
        from rck.render.scene import Scene

        figure = figure_of(self._catalogue.part(part).robot)
        blocks = QUADRANT if coloured else HALF
        camera = fit(named_camera("home"), figure.spheres, width / (2 * height), 0.02)
        picture = draw(
            Scene(figure),
            camera,
            width * blocks.across,
            height * blocks.down,
            palette=DARK if dark else LIGHT,
            pixel_aspect=blocks.pixel_aspect(),
        )
        cells = block_cells(picture.rgb, blocks) if coloured else sign_cells(picture)
        text = Text(no_wrap=True, end="")
        for row in runs(cells):
            for letters, front, back in row:
                text.append(letters, Style(color=_colour(front), bgcolor=_colour(back)))
            text.append("\n")
        text.right_crop(1)
        return text


def _colour(number: int) -> Color | None:
    return None if number < 0 else Color.from_rgb(number >> 16, number >> 8 & 255, number & 255)
