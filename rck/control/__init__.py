"""Control from outside: a server that speaks the rosbridge protocol, and clients of it for Python programs."""

from rck.control.blocking import BlockingClient, connected
from rck.control.client import Client, CommandRefused, MotionFailed, connect

__all__ = ["BlockingClient", "Client", "CommandRefused", "MotionFailed", "connect", "connected"]
