"""Every finding code, grouped by hundreds. `python tools/findings_table.py` writes docs/findings.md from here."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """What a finding code stands for."""

    title: str
    """What was found."""
    severity: str
    """How serious it is: `error`, `warning` or `note`; several, with `or` between, where it depends."""
    remedy: str
    """What to do about it."""


TIERS = {
    1: "schema: values and names",
    2: "topology: how items and joints hang together",
    3: "geometry: shapes",
    4: "physics: masses, inertias, limits",
    5: "assets: files and what they hold",
    6: "plugins",
    7: "catalogue: part manifests",
    8: "assembly: instances and mates",
    9: "motion: paths, and what keeps a robot from following them",
}

CODES: dict[int, Code] = {
    101: Code(
        "a number is not finite",
        "error",
        "Look for an empty field, a division by zero or a wrong number of values where the message points.",
    ),
    102: Code(
        "a name is empty or holds characters that names may not have",
        "error",
        "Use letters, digits, `-` and `_`, with `/` between scopes; no spaces, dots or quotes.",
    ),
    103: Code("a name is used twice", "error", "Rename one, or attach one of the pieces under a scope of its own."),
    104: Code("a value is outside the range that makes sense", "error", "Give a value that the message allows."),
    201: Code("a joint refers to an item that does not exist", "error", "Add the item, or correct the name."),
    202: Code(
        "the joints form a loop",
        "error",
        "Remove one joint of the loop; let it follow another with `mimic` if the mechanism is closed.",
    ),
    203: Code(
        "an item is moved by two joints that do not carry one another",
        "error",
        "Let one joint move the item. What carries that joint's base moves the item too.",
    ),
    204: Code("a joint moves nothing, or moves its own base", "error", "Name other items than the base, each once."),
    205: Code("a joint's axis has no length", "error", "Give two different points, or a direction that is not zero."),
    206: Code(
        "a mimic joint follows a joint that does not exist or itself follows",
        "error",
        "Follow the joint that leads: one that moves and follows no other.",
    ),
    207: Code("a frame is on an item that does not exist", "error", "Add the item, or put the frame on another."),
    208: Code(
        "a list of moved items leaves out an item that is carried along",
        "error",
        "Add the item that the message names to the joint's list.",
    ),
    209: Code(
        "a device is on an item, or works by a joint, that does not exist",
        "error",
        "Put it on an item that exists, or correct the name of the joint.",
    ),
    301: Code("a solid has too few vertices or faces", "error", "Give at least four of each."),
    302: Code(
        "a face names a vertex that does not exist", "error", "Count vertices from zero, up to one below their number."
    ),
    303: Code("a face is degenerate", "error", "Remove the face, or the vertex that makes it fold onto itself."),
    304: Code("a solid is open", "error", "Close the gap, or import it as a mesh, which mends small gaps."),
    305: Code("a solid is flat", "error", "Give it a thickness."),
    306: Code("a solid is not convex", "error", "Cut it into convex pieces, or import it as a mesh, which does that."),
    307: Code(
        "a solid was inside out and has been turned round",
        "note",
        "Nothing; list the vertices of each face counter-clockwise as seen from outside to silence it.",
    ),
    308: Code(
        "a bounding sphere was too small and has been computed anew",
        "note",
        "Nothing; leave the sphere out, or correct it, to silence it.",
    ),
    309: Code("a pose is not a rigid motion", "error", "Apply scale and mirror to the shapes instead of the pose."),
    310: Code(
        "a shape was replaced by a convex approximation",
        "note or warning",
        "Compare the picture with the original; ask for more pieces where the difference matters.",
    ),
    311: Code(
        "parts overlap as the robot stands",
        "warning",
        "Move one of them, or let them touch: `allow A B`.",
    ),
    401: Code("something that moves has no mass", "error", "Give it a mass or a density."),
    402: Code(
        "an inertia is not positive definite", "error", "Leave the inertia out: it then follows from the shapes."
    ),
    403: Code(
        "an inertia breaks the triangle inequality",
        "error",
        "Leave the inertia out: it then follows from the shapes. It is often a wrong unit or a swapped axis.",
    ),
    404: Code("limits are reversed", "error", "Swap them."),
    405: Code("a joint's position is outside its limits", "error", "Move the position or widen the limits."),
    406: Code("a joint that slides has no limits", "warning", "Give it limits; simulators want them."),
    407: Code("a mass or density is negative", "error", "Give a mass or density that is zero or more."),
    408: Code(
        "masses were assumed because the file has none",
        "note or warning",
        "Give masses or densities before trusting forces and torques.",
    ),
    409: Code(
        "a joint that follows another does not stand where the other leads it",
        "warning",
        "Place it, and what it carries, where the leading joint puts it; the first motion would make it jump.",
    ),
    501: Code(
        "a file has more in it than its format allows", "error or warning", "Remove the rest, or check the counts."
    ),
    502: Code(
        "a file was damaged and has been repaired", "note or warning", "Look at what was repaired; save it anew."
    ),
    503: Code(
        "a format cannot hold something, which was left out",
        "note or warning",
        "Choose another format where it matters.",
    ),
    504: Code(
        "a file's conventions had to be assumed",
        "note or warning",
        "Say which with the options that the message names.",
    ),
    505: Code(
        "a file is not of its format or breaks off",
        "error",
        "Look at the line that the message names; fetch the file anew if it was cut off.",
    ),
    506: Code(
        "parts of a file contradict each other",
        "error",
        "Correct the one that is wrong; the message names both.",
    ),
    507: Code(
        "a format cannot hold a robot of this kind",
        "error",
        "Choose another format, or export the part of the robot that it can hold.",
    ),
    508: Code(
        "a file that this one names is missing, cannot be read or lies outside its folder",
        "error or warning",
        "Put the file where the message looked for it; `allow-outside` lets a file that you trust name any other.",
    ),
    509: Code(
        "a file holds more than the limit",
        "error or warning",
        "Raise the limit with the option that the message names, if you trust the file.",
    ),
    510: Code(
        "a library that the file needs is not installed",
        "error or warning",
        "Install it as the message says.",
    ),
    511: Code(
        "something in a file should be solid and cannot be",
        "error or warning",
        "Mend it where the message says, export it in another form, or leave it out with the option `skip`.",
    ),
    601: Code("a plugin could not be loaded", "warning", "Mend or update the plugin, or `rck plugins disable` it."),
    602: Code(
        "a plugin failed in a hook and was switched off",
        "warning",
        "Mend or update the plugin, or `rck plugins disable` it; the rest goes on without it.",
    ),
    603: Code(
        "a plugin returned something that its hook does not allow",
        "warning",
        "Mend or update the plugin; docs/plugins/README.md says what each hook returns.",
    ),
    604: Code(
        "two plugins, or what they add, have the same name",
        "warning",
        "Uninstall or disable one. RCK's own comes first, then the first in order of name.",
    ),
    605: Code(
        "a plugin that was asked for is not installed",
        "warning",
        "Install it, or correct the name in `RCK_PLUGINS`; `rck plugins list` shows what there is.",
    ),
    606: Code(
        "a plugin printed a lot while it was loaded or asked",
        "warning",
        "Remove its prints, or `rck plugins disable` it.",
    ),
    607: Code(
        "a project has plugins that were not allowed yet, or have changed since",
        "note",
        "Look at what is in its `rck_plugins` folder, then `rck plugins allow`.",
    ),
    608: Code(
        "no plugin serves the kind of a sensor or gripper",
        "warning",
        "Correct the kind, or install the plugin: `gripper: acme` of a part is served by the gripper `acme-gripper`.",
    ),
    609: Code(
        "a sensor or gripper has a setting that its plugin does not know or cannot read",
        "error",
        "Correct the `settings` of the device: the message names the options that there are.",
    ),
    610: Code(
        "the check of a plugin found something",
        "error or warning or note",
        "Do what the message says; the plugin that brings the check explains it.",
    ),
    701: Code("a part cannot be built from its manifest", "error", "Correct the item or joint that the message names."),
    702: Code(
        "a port is not on the surface, or points into the part",
        "error",
        "Move the port or turn it round; where it is meant so, say why in its `note`.",
    ),
    703: Code("a port or device refers to something that the part does not have", "error", "Correct the name."),
    704: Code("a figure is unknown or has the wrong unit", "error", "Use the figures listed in `docs/parts.md`."),
    705: Code("a manifest cannot be read, or has the id of another", "error", "Correct the file that is named."),
    706: Code("a part does not say where its figures are from", "error", "Add `source`."),
    801: Code(
        "an instance is of a part that does not exist or cannot be built",
        "error",
        "Correct the part or its parameters.",
    ),
    802: Code("an end of a mate does not exist", "error", "Name an instance and one of its ports; `show` lists them."),
    803: Code("an instance is put in its place twice, or stands on itself", "error", "Detach one of the mates."),
    804: Code("a port is used twice", "error", "Choose a free port, or mate with `--force`."),
    805: Code(
        "two ports do not fit",
        "error",
        "Choose ports of the same kind, put an adaptor between, or mate with `--force` if you know better.",
    ),
    806: Code("a bought part is scaled or mirrored", "warning", "Check that it can be had so."),
    807: Code("a joint's setting does not fit a joint", "error", "Name a joint that moves; `show joints` lists them."),
    808: Code("a tool frame is on something that does not exist", "error", "Put it on an end that exists."),
    809: Code("an offered port does not exist", "error", "Offer a port that exists, or remove it: `remove port NAME`."),
    810: Code("a named pose moves a joint that does not exist", "warning", "Remember the pose anew, or remove it."),
    811: Code(
        "a rule about contacts names something that does not exist",
        "warning",
        "`matrix` finds the contacts anew; `forget A B` takes a rule back.",
    ),
    901: Code(
        "a place on the way cannot be reached",
        "error",
        "Move the goal or the base; the message says where it is and why. `rck reach` maps what can be reached.",
    ),
    902: Code(
        "the joints would have to jump on the way",
        "error",
        "Start in another configuration, go there by a joint move, or put a via point before the place.",
    ),
    903: Code(
        "a move takes longer than was asked for",
        "warning",
        "Allow more time or a lower speed: joints keep their highest speeds and accelerations.",
    ),
    904: Code("a move would take a joint beyond its limits", "error or warning", "Choose a goal within the limits."),
    911: Code(
        "an event moves a joint that does not exist or cannot be moved by itself",
        "error",
        "Name a free joint; `rck show` lists them.",
    ),
    913: Code(
        "items overlap when a simulation starts",
        "warning",
        "Part them where it is not meant; they are no obstacle to each other unless they go deeper.",
    ),
    914: Code(
        "a motor is too weak for a run",
        "warning",
        "Choose a stronger motor, a shorter reach, a lighter load or a slower motion.",
    ),
    915: Code(
        "a motor cannot hold the arm where that is hardest",
        "warning",
        "Take a stronger motor, a shorter or lighter arm, or narrower limits; `rck loads` tells where it is hardest.",
    ),
}
