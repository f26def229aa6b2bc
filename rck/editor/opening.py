"""What the Simulate screen plays, opened to other programs on this machine."""

from contextlib import ExitStack

from rck.control.hub import Hub
from rck.control.motions import ClientMotion
from rck.control.server import PORT, Address, CannotListen, ControlServer, served_beside
from rck.control.world import ServedWorld
from rck.editor.theatre import REMEMBERED, Theatre
from rck.simulation.simulation import Simulation


class TheatreWorld(ServedWorld):
    """The world of a theatre: the clock, the speed and the way back to the beginning are those of the screen."""

    rests_sensors = False

    def __init__(self, theatre: Theatre) -> None:
        self._theatre = theatre
        self._seen = theatre.simulation.time
        super().__init__(theatre.simulation, theatre.plugins)

    @property
    def simulation(self) -> Simulation:
        """What is played now."""
        return self._theatre.simulation

    @simulation.setter
    def simulation(self, simulation: Simulation) -> None:
        if simulation is not self._theatre.simulation:
            self._theatre.take(simulation)

    @property
    def paused(self) -> bool:
        """Whether the screen stands still."""
        return not self._theatre.playing

    @paused.setter
    def paused(self, paused: bool) -> None:
        if paused:
            self._theatre.pause()
        else:
            self._theatre.play()

    @property
    def speed(self) -> float:
        """How many simulated seconds pass in a real one."""
        return self._theatre.player.speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._theatre.player.speed = speed

    def advance(self, seconds: float) -> None:
        """Let the theatre go on, which keeps what it shows."""
        self._theatre.go_on(seconds)

    def tidy(self) -> None:
        """Keep what the screen shows: what became of its own events, and the last that was told."""
        simulation = self.simulation
        events = self._theatre.events
        simulation.outcomes[:] = [one for one in simulation.outcomes if any(one.event is event for event in events)]
        del simulation.notices[:-REMEMBERED], simulation.findings[:-REMEMBERED]

    def reset(self) -> None:
        """Everything as it was at the beginning, with the events of the screen."""
        self._theatre.stop()
        self.put_back("the world was reset")

    def news(self) -> list[ClientMotion]:
        """What became of motions, also by what the user did meanwhile."""
        if self.names.robot is not self.robot or self.time < self._seen:
            self.put_back("the simulation was put back")
        elif self.time > self._seen:
            self._told += self.motions.refresh(self.simulation)
            self.changes += 1
        self._seen = self.time
        return super().news()


class Opening:
    """A theatre while it is open. Close it in the end."""

    def __init__(self, theatre: Theatre, port: int = PORT) -> None:
        self._theatre = theatre
        self.hub = Hub(TheatreWorld(theatre))
        self._open = ExitStack()
        try:
            self._server = self._serve(port)
        except CannotListen:
            self._server = self._serve(0)
        self.port = self._server.port
        theatre.shared = True

    def _serve(self, port: int) -> ControlServer:
        server = ControlServer(self.hub, Address(port=port), guard=self._theatre.lock)
        self._open.enter_context(served_beside(server))
        return server

    @property
    def url(self) -> str:
        """Where programs connect."""
        return f"ws://{self._server.address.host}:{self.port}"

    @property
    def clients(self) -> int:
        """How many programs take part."""
        return len(self.hub.sessions)

    def close(self) -> None:
        """End the connections; what clients set going stops, unless they said otherwise."""
        self._open.close()
        self._theatre.shared = False
