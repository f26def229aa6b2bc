"""Contents of a stage that RCK does not read, reported once per kind."""

from rck.importing.import_report import Report
from rck_importers.usd.devices import SENSORS, is_site
from rck_importers.usd.shapes import SHAPES
from rck_importers.usd.stage import Prim, Stage

_READ = SHAPES | SENSORS | frozenset({
    "", "Xform", "Scope", "Material", "Shader", "NodeGraph", "GeomSubset", "PhysicsScene", "PhysicsCollisionGroup",
    "PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsFixedJoint", "PhysicsSphericalJoint", "PhysicsJoint",
    "MjcActuator", "MjcTendon", "NewtonActuator",
})  # fmt: skip
_SILENT = frozenset({"RenderSettings", "RenderProduct", "RenderVar", "Backdrop", "SkelRoot"})
"""Types of prims that say nothing about the robot."""
_LOST_APIS = (
    "PhysxTendonAxisRootAPI", "PhysxTendonAttachmentRootAPI", "PhysxVehicleAPI", "PhysxDeformableBodyAPI",
    "PhysxDeformableSurfaceAPI", "PhysxParticleSetAPI", "PhysxParticleClothAPI", "PhysicsDeformableBodyAPI",
    "OmniPhysicsDeformableBodyAPI", "PhysxSurfaceVelocityAPI", "PhysxForceAPI",
)  # fmt: skip
"""Schemas without which the robot moves differently."""


def report_leftovers(stage: Stage, report: Report) -> None:
    """Report the prims and schemas that were not read."""
    if stage.is_animated:
        report.left_out("animation after its first frame", stage.file)
    for asset, file in stage.missing:
        report.warn(508, file, f"{asset} does not exist; what it contains was ignored", kind=f"missing {asset}")
    for prim in stage.prims:
        _report(prim, report)


def _report(prim: Prim, report: Report) -> None:
    if prim.type not in _READ | _SILENT and not is_site(prim):
        what = f"{prim.type} prim"
        moves = prim.type.startswith(("Physics", "Physx", "Newton")) or _collides(prim)
        if prim.type == "PhysicsDistanceJoint":
            fix = "replace it by another joint, or by an equality in a simulator"
            message = "a distance joint was refused: RCK has no joint that only limits a distance"
            report.warn(503, prim.where, message, fix, kind="distance joint")
        elif moves:
            report.lost(what, prim.where)
        else:
            report.left_out(what, prim.where)
    for api in _LOST_APIS:
        if prim.has(api):
            report.lost(f"schema {api}", prim.where)


def _collides(prim: Prim) -> bool:
    return prim.has("PhysicsCollisionAPI") and prim.flag("physics:collisionEnabled", True)
