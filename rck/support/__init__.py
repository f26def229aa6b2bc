"""Utilities of all packages: errors and findings, jobs, files and locks, child processes, names, units, YAML."""
