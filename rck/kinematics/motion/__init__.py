"""Motions of joints as values: paths under limits of speed and acceleration, to be played, drawn and written."""

from rck.kinematics.motion.curve import Curve, arc, line, rounded
from rck.kinematics.motion.event_file import event_list
from rck.kinematics.motion.follow import ToolSpeed, follow
from rck.kinematics.motion.joint_move import joint_by_joint, joint_move
from rck.kinematics.motion.limits import MotionLimits, motion_limits
from rck.kinematics.motion.path import Path, cut, joined, peaks, playback, resting, stretched
from rck.kinematics.motion.profiles import PROFILES, Profile
from rck.kinematics.motion.redirect import redirected, redirected_to
from rck.kinematics.motion.via import through

__all__ = [
    "PROFILES",
    "Curve",
    "MotionLimits",
    "Path",
    "Profile",
    "ToolSpeed",
    "arc",
    "cut",
    "event_list",
    "follow",
    "joined",
    "joint_by_joint",
    "joint_move",
    "line",
    "motion_limits",
    "peaks",
    "playback",
    "redirected",
    "redirected_to",
    "resting",
    "rounded",
    "stretched",
    "through",
]
