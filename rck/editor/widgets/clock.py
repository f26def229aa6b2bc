"""The clock of the Simulate screen: the time that has passed, how things stand, and how fast it goes."""

from rich.text import Text
from textual.widgets import Static

from rck.editor.theatre import Theatre


class Clock(Static):
    """One line about what is played."""

    BORDER_TITLE = "Clock"

    def show(self, theatre: Theatre, captured: int | None) -> None:
        """Show the time, and how many frames were captured where they are kept."""
        clock = Text(f"{theatre.simulation.time:9.2f} s", "bold", no_wrap=True).append(
            f"   {_state(theatre)}   ", "dim"
        )
        if theatre.physics:
            clock.append(f"{theatre.physics}   ", "yellow")
        clock.append(f"{theatre.player.speed:g}x")
        if captured is not None:
            clock.append(f"   ● {captured}", "red")
        wall = f"   wall {theatre.player.wall_time:.1f} s"
        if clock.cell_len + len(wall) <= self.content_size.width:
            clock.append(wall, "dim")
        # Its size is fixed: nothing else has to be laid out, and drawn, again.
        self.update(clock, layout=False)


def _state(theatre: Theatre) -> str:
    simulation = theatre.simulation
    if simulation.emergency:
        return "EMERGENCY STOP"
    if simulation.stuck:
        return "stuck"
    if theatre.script is not None:
        return theatre.script.place
    if simulation.time > 0 and simulation.finished and not (theatre.playing and theatre.shared):
        return "done"
    if theatre.playing:
        return "playing"
    return "at the beginning" if simulation.time == 0 else "standing still"
