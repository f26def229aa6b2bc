"""The hot loops, compiled with numba, on flat arrays; nothing here knows a robot, only numbers."""
