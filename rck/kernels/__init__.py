"""Hot loops on flat arrays, compiled with numba; they do not depend on the robot model."""
