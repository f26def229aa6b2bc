"""ACIS data of 3DSOLID, BODY, REGION and SURFACE: records, bodies of faces and edges, and their triangles."""
