"""Files as Open3D reads them; the functions run in a child process, because damaged files can crash the library."""

from typing import Any


def read_points(_job: object, path: str) -> dict[str, Any]:
    """Return the points, shape (points, 3), and their mean colour, if they have one."""
    import numpy as np

    cloud = quiet_open3d().io.read_point_cloud(path, remove_nan_points=True, remove_infinite_points=True)
    colour = np.asarray(cloud.colors).mean(axis=0).tolist() if cloud.has_colors() else None
    return {"points": np.array(cloud.points, dtype=float), "colour": colour}


def read_triangles(_job: object, path: str) -> dict[str, Any]:
    """Return the vertices, shape (vertices, 3), and the triangles, shape (triangles, 3)."""
    import numpy as np

    mesh = quiet_open3d().io.read_triangle_mesh(path)
    return {"vertices": np.array(mesh.vertices, dtype=float), "corners": np.array(mesh.triangles, dtype=np.int64)}


def quiet_open3d() -> Any:
    """Return the library; more verbose levels write to the terminal."""
    import open3d

    open3d.utility.set_verbosity_level(open3d.utility.VerbosityLevel.Error)
    return open3d
