"""Gripper plugins: rules that decide whether a gripper can hold an object."""
