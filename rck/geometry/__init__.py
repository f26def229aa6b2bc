"""Shapes and motions: transforms, convex polyhedra, primitives, sweeps, masses, convex decomposition."""
