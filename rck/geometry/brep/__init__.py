"""Boundary representations of CAD files: faces on analytic and spline surfaces, their triangles and what they form."""
