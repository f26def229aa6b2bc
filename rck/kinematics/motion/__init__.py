"""Motions of a chain: joint moves under the limits of speed and acceleration."""

from rck.kinematics.motion.joint_move import JointMove, joint_move
from rck.kinematics.motion.profiles import PROFILES, Profile

__all__ = ["PROFILES", "JointMove", "Profile", "joint_move"]
