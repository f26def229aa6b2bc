"""Loads of motors in a run of a program or an event file, for their duty cycle."""

from dataclasses import dataclass
from math import inf
from pathlib import Path

from rck.hooks import Physics, Plugins
from rck.model.robot import Robot
from rck.simulation.event_table import read_events
from rck.simulation.instruction_executor import InstructionExecutor
from rck.simulation.motor_loads import Loads, physics_maker
from rck.simulation.program_runner import ProgramRunner, language_of, read_program
from rck.simulation.simulation import Simulation
from rck.support.finding import RckError
from rck.support.job import UNOBSERVED, Job

_STEP = 0.01
"""Time step, in seconds."""


@dataclass(frozen=True, slots=True)
class LoadRun:
    """The loads of a run."""

    loads: Loads
    seconds: float
    problem: str
    """The reason why the run ended early; empty if it did not."""


def run_loads(robot: Robot, path: Path, plugins: Plugins, engine: str | None = None, job: Job = UNOBSERVED) -> LoadRun:
    """Simulate a program or an event file with physics, and return the loads of the motors.

    Motors exceed their limits where the run needs it. Without an engine, the first available one is used.
    """
    if engine is None:
        engines = [physics.name for physics in plugins.all(Physics)]
        if not engines:
            raise RckError("the loads of a program need a physics engine; `rck doctor` shows how to install one")
        engine = engines[0]
    program = read_program(path, robot, plugins) if language_of(path, plugins) else None
    events = () if program is not None else read_events(path, robot, plugins, job)
    simulation = Simulation(robot, events, plugins=plugins, physics=physics_maker(plugins, engine))
    assert simulation.forces is not None
    problem = ""

    def report() -> None:
        job.progress(0.0, f"{simulation.time:.1f} s")

    if program is None:
        simulation.run(inf, _STEP, report)
        failed = [outcome for outcome in simulation.outcomes if not outcome.done]
        problem = f"event at {failed[0].event.start:g} s: {failed[0].why}" if failed else ""
    else:
        runner = ProgramRunner(InstructionExecutor(simulation, plugins, seconds=_STEP, after_step=report), program)
        while not runner.finished and not problem:
            executed = runner.step()
            if executed is not None and not executed.reply:
                problem = f"line {executed.line.number}: {executed.reply.text}"
    return LoadRun(simulation.forces.meter.loads(), simulation.time, problem)
