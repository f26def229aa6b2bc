"""Motions of joints as values: paths under limits of speed and acceleration, to be played, drawn and written."""

from rck.kinematics.motion.event_file import event_list
from rck.kinematics.motion.joint_move import joint_by_joint, joint_move
from rck.kinematics.motion.limits import MotionLimits, motion_limits
from rck.kinematics.motion.path import Path, cut, joined, peaks, playback, resting, stretched
from rck.kinematics.motion.profiles import PROFILES, Profile

__all__ = [
    "PROFILES",
    "MotionLimits",
    "Path",
    "Profile",
    "cut",
    "event_list",
    "joined",
    "joint_by_joint",
    "joint_move",
    "motion_limits",
    "peaks",
    "playback",
    "resting",
    "stretched",
]
