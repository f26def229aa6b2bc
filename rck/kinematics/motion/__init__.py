"""Joint trajectories: moves within velocity and acceleration limits."""

from rck.kinematics.motion.curve import ToolCurve, arc, line, rounded
from rck.kinematics.motion.event_file import event_list
from rck.kinematics.motion.joint_move import joint_by_joint, joint_move
from rck.kinematics.motion.motion_limits import MotionLimits, motion_limits
from rck.kinematics.motion.path import JointPath, chord_times, cut, joined, peaks, playback, resting, stretched
from rck.kinematics.motion.redirection import redirected, redirected_to
from rck.kinematics.motion.tool_path import ToolSpeed, follow
from rck.kinematics.motion.velocity_profiles import PROFILES, Profile
from rck.kinematics.motion.via_points import through

__all__ = [
    "PROFILES",
    "JointPath",
    "MotionLimits",
    "Profile",
    "ToolCurve",
    "ToolSpeed",
    "arc",
    "chord_times",
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
