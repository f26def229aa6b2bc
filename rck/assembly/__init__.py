"""Assemblies: instances of parts, mates between ports, the native file, and the compiler that makes a Robot."""
