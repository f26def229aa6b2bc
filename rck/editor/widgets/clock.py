"""The clock of the Simulate screen: simulated time, state and real-time factor."""

from rich.text import Text
from textual.widgets import Static

from rck.editor.simulation_player import SimulationPlayer


class Clock(Static):
    """One line with the state of the simulation."""

    BORDER_TITLE = "Clock"

    def show(self, player: SimulationPlayer, captured: int | None) -> None:
        """Show the state, and the number of captured frames while capturing."""
        clock = Text(f"{player.simulation.time:9.2f} s", "bold", no_wrap=True).append(f"   {_state(player)}   ", "dim")
        if player.physics.name:
            clock.append(f"{player.physics.name}   ", "yellow")
        clock.append(f"{player.clock.speed:g}x")
        if captured is not None:
            clock.append(f"   ● {captured}", "red")
        wall = f"   wall {player.clock.wall_time:.1f} s"
        if clock.cell_len + len(wall) <= self.content_size.width:
            clock.append(wall, "dim")
        # The size is fixed, so no new layout is needed.
        self.update(clock, layout=False)


def _state(player: SimulationPlayer) -> str:
    simulation = player.simulation
    if simulation.emergency:
        return "EMERGENCY STOP"
    if simulation.stuck:
        return "blocked"
    if player.script is not None:
        return player.script.place
    if simulation.time > 0 and simulation.finished and not (player.playing and player.shared):
        return "finished"
    if player.playing:
        return "playing"
    return "ready" if simulation.time == 0 else "paused"
