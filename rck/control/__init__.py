"""Remote control: a server for the rosbridge protocol, and its Python clients."""

from rck.control.blocking_client import BlockingClient, connected
from rck.control.client import Client, CommandRefused, MotionFailed, connect

__all__ = ["BlockingClient", "Client", "CommandRefused", "MotionFailed", "connect", "connected"]
