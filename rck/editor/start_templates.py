"""RCK's own start templates, declared as those of plugins are."""

from rck.hooks import StartTemplate

START_TEMPLATES = (
    StartTemplate(
        "servo-arm",
        "an arm of three smart servos, with a tool at its end",
        """\
create structure/round-base base diameter=160
create robotis/xm540-w270 waist --at base.top
create structure/plate turntable length=60 width=60 --at waist.horn --by bottom
create robotis/xm540-w270 shoulder --at turntable.top --by bottom
create structure/bar-link upper length=200 --at shoulder.horn --by a --turn 90
create robotis/xm430-w350 elbow --at upper.b --by back
create structure/bar-link fore length=160 --at elbow.horn --by a
tool tip fore.b
""",
    ),
    StartTemplate(
        "industrial-arm",
        "a Puma 260 with a two-finger gripper",
        """\
create unimation/puma-260 arm
create robotiq/hand-e hand --at arm.flange --by flange --force
tool grip hand.tip
""",
    ),
    StartTemplate(
        "gantry",
        "three rails at right angles over a table, with a vacuum cup",
        """\
create structure/frame-table table length=1200 width=800 height=750 y=-360
create hiwin/hgh20ca-rail x-axis length=1100 --at table.at --by base
create structure/plate saddle length=120 width=80 thickness=10 --at x-axis.carriage --by bottom
create structure/square-tube column width=60 depth=60 wall=4 length=420 --at saddle.top --by a
create hiwin/hgh20ca-rail y-axis length=700 --at column.b --by base --turn 90 --offset 0,280,0
create structure/l-bracket elbow foot=80 height=80 width=60 thickness=8 --at y-axis.carriage --by bottom --turn 90
create hiwin/mgn12h-rail z-axis length=400 --at elbow.back --by carriage
create vacuum/bellows-cup cup --at z-axis.left-end
tool tip cup.lip
""",
    ),
)
