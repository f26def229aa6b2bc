"""All finding codes, grouped by hundreds. `python tools/findings_table.py` writes docs/findings.md from this module."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """Meaning of a finding code."""

    title: str
    """Description of the problem."""
    severity: str
    """`error`, `warning` or `note`, or several of them joined by `or`."""
    remedy: str
    """Advice for the user."""


TIERS = {
    1: "Values and names",
    2: "Items and joints",
    3: "Shapes",
    4: "Masses, inertias and limits",
    5: "Files",
    6: "Plugins",
    7: "Part manifests",
    8: "Assemblies",
    9: "Paths and simulations",
}

CODES: dict[int, Code] = {
    101: Code(
        "a number is not finite",
        "error",
        "Look for an empty field, a division by zero or a wrong number of values at the location in the message.",
    ),
    102: Code(
        "a name is empty or contains invalid characters",
        "error",
        "Use letters, digits, `-` and `_`, with `/` between scopes; no spaces, dots or quotes.",
    ),
    103: Code(
        "a name is used twice",
        "error",
        "Rename one of the two.",
    ),
    104: Code(
        "a value is out of range",
        "error",
        "Use a value in the range that the message states.",
    ),
    201: Code("a joint refers to an item that does not exist", "error", "Add the item, or correct the name."),
    202: Code(
        "the joints form a loop",
        "error",
        "Remove one joint of the loop, or use `mimic` to couple it to another joint.",
    ),
    203: Code(
        "two joints move the same item, and neither carries the other",
        "error",
        "Move the item with one joint only, or put another item between the two joints.",
    ),
    204: Code(
        "a joint moves nothing, or moves its own base",
        "error",
        "List at least one item to move, each once and without the base.",
    ),
    205: Code(
        "a joint axis has zero length",
        "error",
        "Define the axis by two different points, or by a direction other than zero.",
    ),
    206: Code(
        "a mimic joint follows a joint that does not exist or is itself a mimic joint",
        "error",
        "Follow a free joint.",
    ),
    207: Code(
        "a frame refers to an item that does not exist",
        "error",
        "Add the item, or put the frame on another item.",
    ),
    208: Code(
        "the list of items that a joint moves is incomplete",
        "error",
        "Add the items that the message names. Other joints attach them to an item in the list.",
    ),
    209: Code(
        "a device refers to an item or joint that does not exist",
        "error",
        "Correct the name of the item or joint.",
    ),
    210: Code(
        "an actuator, tendon or pose refers to a joint or tendon that does not exist",
        "error",
        "Correct the name of the joint or tendon.",
    ),
    211: Code(
        "a loop cannot close",
        "warning",
        "Correct the lengths or the frames of the loop, or use a looser kind; the message states the remaining gap.",
    ),
    212: Code(
        "loops lock all of their joints",
        "warning",
        "Remove a loop, add a joint, or use a looser kind of loop, such as `connect` instead of `weld`.",
    ),
    213: Code(
        "loops are at a singular position",
        "warning",
        "Move the joints a little: from a singular position a mechanism can continue on several branches.",
    ),
    214: Code(
        "loops leave a joint free that nothing drives",
        "note",
        "Drive the joint, give it a spring, or add a loop.",
    ),
    215: Code(
        "loops close in several ways",
        "note",
        "To change the branch, set the position of a joint in the loop near that of the other branch.",
    ),
    301: Code("a solid has too few vertices or faces", "error", "Define at least four vertices and four faces."),
    302: Code(
        "a face refers to a vertex that does not exist",
        "error",
        "Use vertex indices from 0 to the number of vertices minus one.",
    ),
    303: Code(
        "a face is degenerate",
        "error",
        "Remove the face, or its repeated vertices.",
    ),
    304: Code(
        "a solid is not closed",
        "error",
        "Close the gap, or import the solid as a mesh: RCK repairs small gaps in meshes.",
    ),
    305: Code("a solid is flat", "error", "Give it a thickness."),
    306: Code(
        "a solid is not convex",
        "error",
        "Cut it into convex pieces, or import it as a mesh: RCK decomposes meshes.",
    ),
    307: Code(
        "a solid was inside out and was reversed",
        "note",
        "No action needed. To avoid the note, list the vertices of each face counter-clockwise as seen from outside.",
    ),
    308: Code(
        "a bounding sphere was too small and was recomputed",
        "note",
        "No action needed. To avoid the note, omit or correct the sphere.",
    ),
    309: Code(
        "a pose is not a rigid transform",
        "error",
        "Apply scale and mirror to the shapes instead of the pose.",
    ),
    310: Code(
        "a shape was replaced by a convex approximation",
        "note or warning",
        "Compare a picture with the original. Choose a smaller tolerance if the difference matters.",
    ),
    311: Code(
        "items overlap in the initial pose",
        "warning",
        "Move one of them, or allow the contact: `allow A B`.",
    ),
    401: Code(
        "a moving item has no mass",
        "error or warning",
        "Give it a mass or a density. RCK keeps items without mass; most simulators refuse them.",
    ),
    402: Code(
        "an inertia is not symmetric or not positive definite",
        "error or warning",
        "Correct it. Imports keep the numbers of the file; the option `repair-inertia` replaces impossible inertias by "
        "the nearest possible ones.",
    ),
    403: Code(
        "an inertia violates the triangle inequality",
        "warning",
        "Correct it, or import the file with `repair-inertia`. Common causes are a wrong unit or swapped axes.",
    ),
    404: Code("joint limits are reversed", "error", "Swap the lower and the upper limit."),
    405: Code(
        "a joint position is outside its limits",
        "error",
        "Change the position or widen the limits.",
    ),
    406: Code(
        "a prismatic joint has no limits",
        "warning",
        "Give it limits; many simulators require them.",
    ),
    407: Code(
        "a mass or density is negative",
        "error",
        "Give a mass or density of zero or more.",
    ),
    408: Code(
        "masses were assumed because the file has none",
        "note or warning",
        "Give masses or densities before you rely on forces and torques.",
    ),
    409: Code(
        "the position of a mimic joint does not match the joint that it follows",
        "warning",
        "Correct the position, ratio or offset. Otherwise the mimic joint jumps when the other joint first moves.",
    ),
    410: Code(
        "masses are derived or drawn, not published",
        "note",
        "Find published masses before you rely on forces and torques; `rck parts show` prints the sources of a part.",
    ),
    501: Code(
        "a file has more content than its format allows",
        "error or warning",
        "Remove the additional content, or correct the counts in the file.",
    ),
    502: Code(
        "a file was damaged and was repaired",
        "note or warning",
        "Check the repair, then save the file again.",
    ),
    503: Code(
        "a feature is not supported by the format and was omitted",
        "note or warning",
        "Choose another format if the feature matters.",
    ),
    504: Code(
        "a file does not state a convention, and RCK assumed one",
        "note or warning",
        "Check the assumption; set another value with the options that the message names.",
    ),
    505: Code(
        "a file is truncated, or violates its format",
        "error",
        "Check the line that the message names; download the file again if it is truncated.",
    ),
    506: Code(
        "two entries of a file contradict each other",
        "error",
        "Correct the wrong one; the message names both.",
    ),
    507: Code(
        "a format does not support this kind of robot",
        "error",
        "Choose another format, or export the supported part of the robot.",
    ),
    508: Code(
        "a referenced file is missing, unreadable or outside the folder",
        "error or warning",
        "Put the file at the location in the message. For a file that you trust, set the option `allow-outside`.",
    ),
    509: Code(
        "a file exceeds a size limit",
        "error or warning",
        "If you trust the file, raise the limit with the option that the message names.",
    ),
    510: Code(
        "a library that the file needs is not installed",
        "error or warning",
        "Install it with the command in the message.",
    ),
    511: Code(
        "an object in a file is not a valid solid",
        "error or warning",
        "Repair the object that the message names, or exclude it with the option `skip`.",
    ),
    601: Code("a plugin could not be loaded", "warning", "Fix, update or disable it: `rck plugins disable NAME`."),
    602: Code(
        "a hook or contribution of a plugin raised an exception",
        "warning",
        "Fix, update or disable the plugin. RCK disables a plugin whose hook fails until it exits.",
    ),
    603: Code(
        "a hook of a plugin returned a wrong value",
        "warning",
        "Fix, update or disable the plugin. docs/plugins/README.md lists what each hook returns.",
    ),
    604: Code(
        "two plugins or contributions have the same name",
        "warning",
        "Uninstall or disable one of them. RCK prefers its own, then the first in the order of plugin names.",
    ),
    605: Code(
        "a requested plugin is not installed",
        "warning",
        "Install it, or correct the name in `RCK_PLUGINS`; `rck plugins list` shows the installed plugins.",
    ),
    607: Code(
        "the plugins of a project are not allowed, or have changed since you allowed them",
        "note",
        "Review its `rck_plugins` folder, then run `rck plugins allow`.",
    ),
    608: Code(
        "no plugin provides this kind of sensor or gripper",
        "note or warning",
        "Correct the kind, or install the plugin: `gripper: acme` in a manifest needs the gripper `acme-gripper`.",
    ),
    609: Code(
        "a setting of a sensor or gripper is unknown or invalid",
        "error",
        "Correct the `settings` of the device; the message lists the options.",
    ),
    610: Code(
        "a check from a plugin found a problem",
        "error or warning or note",
        "Follow the advice in the message, or see the documentation of the plugin.",
    ),
    611: Code(
        "a plugin refused an action",
        "error",
        "Follow the reason in the message, or disable the plugin: `rck plugins disable NAME`.",
    ),
    701: Code("a part cannot be built from its manifest", "error", "Correct the item or joint that the message names."),
    702: Code(
        "a port is not on the surface, or points into the part",
        "error",
        "Move or rotate the port. If its pose is intended, state the reason in its `note`.",
    ),
    703: Code(
        "a port or device refers to an item or joint that the part does not have",
        "error",
        "Correct the name.",
    ),
    704: Code("a figure is unknown or has the wrong unit", "error", "Use the figures listed in `docs/parts.md`."),
    705: Code(
        "a manifest cannot be read, or has the id of another part",
        "error",
        "Correct the file that the message names.",
    ),
    706: Code(
        "a part has no source for its figures",
        "error",
        "Name the data sheet or drawing under the key `source`.",
    ),
    707: Code(
        "two libraries have a part with the same id",
        "warning or note",
        "Rename one of them. Only parts in the folder `parts` of a project, and of the user, replace those of plugins.",
    ),
    708: Code(
        "the price list of the project cannot be read",
        "warning",
        "Correct the line of `prices.csv` that the message names.",
    ),
    801: Code(
        "the part of an instance does not exist or cannot be built",
        "error",
        "Correct the part or its parameters.",
    ),
    802: Code("an end of a mate does not exist", "error", "Name an instance and one of its ports; `show` lists them."),
    803: Code(
        "two mates attach the same instance, or an instance is mated to itself",
        "error",
        "Remove one of the mates: `detach INSTANCE`.",
    ),
    804: Code("two mates use the same port", "error", "Choose a free port, or mate with `--force`."),
    805: Code(
        "two ports do not fit",
        "warning",
        "Choose ports that fit (`rck parts --fits FILE:INSTANCE.PORT`), insert an adapter, or mate with `--force`."
        " A new mate of such ports is refused.",
    ),
    806: Code(
        "a purchased part is scaled or mirrored",
        "warning",
        "Check that the part is available in that form.",
    ),
    807: Code(
        "a joint setting is invalid for its joint",
        "error",
        "Name a free joint, and a setting that it has; `show joints` lists the joints.",
    ),
    808: Code(
        "a tool frame refers to a port that does not exist",
        "error",
        "Put the tool on a port that exists: `set tool NAME on=INSTANCE.PORT`.",
    ),
    809: Code(
        "a port of the assembly refers to a port that does not exist",
        "error",
        "Name a port that exists: `set port NAME on=INSTANCE.PORT`; or remove the port: `remove port NAME`.",
    ),
    810: Code(
        "a named pose refers to a joint that does not exist",
        "warning",
        "Save the pose again, or remove it: `remove pose NAME`.",
    ),
    811: Code(
        "a collision rule refers to an item that does not exist",
        "warning",
        "Compute the matrix again with `matrix`, or remove the rule: `forget A B`.",
    ),
    812: Code(
        "the holes of two mated ports do not coincide",
        "warning",
        "Turn or move the part as the message says, or mate with `--force`. A new mate like this is refused.",
    ),
    813: Code(
        "an instance is neither mated nor loose, and does not stand on the floor",
        "warning",
        "Mate it: `mate END INSTANCE`; or let it move freely: `set INSTANCE loose=yes`.",
    ),
    814: Code(
        "two mated parts do not touch",
        "warning",
        "Remove the offset of the mate, or insert the part that fills the gap.",
    ),
    815: Code(
        "plain faces of different size are joined",
        "warning",
        "Insert a plate that carries the larger face, or choose another port; `--force` accepts it.",
    ),
    901: Code(
        "a point of the path cannot be reached",
        "error",
        "Move the goal or the base; the message gives the position and the reason. `rck reach` maps the workspace.",
    ),
    902: Code(
        "the joints would jump to another configuration on the path",
        "error",
        "Start in another configuration, use a joint move, or add a via point before the position.",
    ),
    903: Code(
        "a move takes longer than requested",
        "warning",
        "Request a longer duration or a lower speed. RCK keeps the velocity and acceleration limits of the joints.",
    ),
    904: Code(
        "a move exceeds a joint limit",
        "error or warning",
        "Choose a goal within the limits.",
    ),
    905: Code(
        "a planned motion collides",
        "error",
        "Add a goal on the way around, or move the obstacle; `rck path --no-collisions` skips the check.",
    ),
    911: Code(
        "an event moves a joint that does not exist or is not free",
        "error",
        "Name a free joint; `rck show` lists them.",
    ),
    913: Code(
        "items overlap when a simulation starts",
        "warning",
        "Separate them if the overlap is not intended. They can move apart, but not penetrate deeper.",
    ),
    914: Code(
        "a motor is too weak for a simulated motion",
        "warning",
        "Choose a stronger motor, a shorter reach, a lighter load or a slower motion.",
    ),
    915: Code(
        "a motor cannot hold the arm in its worst-case pose",
        "warning",
        "Choose a stronger motor, a shorter or lighter arm, or narrower limits; `rck loads` shows the worst-case pose.",
    ),
    916: Code(
        "a motor can hold the arm in its worst-case pose only for a short time",
        "note",
        "Avoid that pose, choose a stronger motor or a lighter arm, or narrow the limits; `rck loads` shows the pose.",
    ),
    917: Code(
        "a motor overheats if a simulated motion is repeated without pauses",
        "warning or note",
        "Add pauses, choose a stronger motor or carry less; a note if the continuous torque is an estimate.",
    ),
}
