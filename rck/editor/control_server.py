"""Control server of the simulation on the Simulate screen, for other programs on this machine."""

from contextlib import ExitStack

from rck.control.client_motions import ClientMotion
from rck.control.hub import Hub
from rck.control.served_world import ServedWorld
from rck.control.server import PORT, Address, CannotListen, ControlServer, serve_in_thread
from rck.editor.simulation_player import REMEMBERED, SimulationPlayer
from rck.simulation.simulation import Simulation


class PlayerWorld(ServedWorld):
    """The world of a simulation player: pause, speed and reset are those of the screen."""

    rests_sensors = False

    def __init__(self, player: SimulationPlayer) -> None:
        self._player = player
        self._seen = player.simulation.time
        super().__init__(player.simulation, player.plugins)

    @property
    def simulation(self) -> Simulation:
        """The simulation of the player."""
        return self._player.simulation

    @simulation.setter
    def simulation(self, simulation: Simulation) -> None:
        if simulation is not self._player.simulation:
            self._player.take(simulation)

    @property
    def paused(self) -> bool:
        """True if the player is paused."""
        return not self._player.playing

    @paused.setter
    def paused(self, paused: bool) -> None:
        if paused:
            self._player.pause()
        else:
            self._player.play()

    @property
    def speed(self) -> float:
        """The real-time factor."""
        return self._player.clock.speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._player.clock.speed = speed

    def advance(self, seconds: float) -> None:
        """Advance the player, which also updates the screen."""
        self._player.go_on(seconds)

    def tidy(self) -> None:
        """Remove old outcomes, notices and findings that the screen does not show."""
        simulation = self.simulation
        events = self._player.events
        simulation.outcomes[:] = [
            outcome for outcome in simulation.outcomes if any(outcome.event is event for event in events)
        ]
        del simulation.notices[:-REMEMBERED], simulation.findings[:-REMEMBERED]

    def reset(self) -> tuple[str, ...]:
        """Reset the player, which keeps the events of the screen; return what plugins report about the run."""
        reported = self._player.stop()
        self.forget_clients("the world was reset")
        return reported

    def take_changed_motions(self) -> list[ClientMotion]:
        """Return the motions whose state has changed, also by actions of the user."""
        if self.names.robot is not self.robot or self.time < self._seen:
            self.forget_clients("the simulation was reset")
        elif self.time > self._seen:
            self._changed += self.motions.refresh(self.simulation)
            self.changes += 1
        self._seen = self.time
        return super().take_changed_motions()


class EmbeddedServer:
    """A control server for a simulation player. Close it at the end."""

    def __init__(self, player: SimulationPlayer, port: int = PORT) -> None:
        self._player = player
        self.hub = Hub(PlayerWorld(player))
        self._stack = ExitStack()
        try:
            self._server = self._serve(port)
        except CannotListen:
            self._server = self._serve(0)
        self.port = self._server.port
        player.shared = True

    def _serve(self, port: int) -> ControlServer:
        server = ControlServer(self.hub, Address(port=port), guard=self._player.lock)
        self._stack.enter_context(serve_in_thread(server))
        return server

    @property
    def url(self) -> str:
        """The address for clients."""
        return f"ws://{self._server.address.host}:{self.port}"

    @property
    def clients(self) -> int:
        """The number of connected clients."""
        return len(self.hub.sessions)

    def close(self) -> None:
        """Disconnect all clients and stop the server; their motions stop, unless they have requested otherwise."""
        self._stack.close()
        self._player.shared = False
