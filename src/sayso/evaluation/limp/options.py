"""What `sayso eval limp` can be told, without loading a simulator."""

from __future__ import annotations

METHODS = ("limp", "saycan", "code")
"""SaySo's own way; a list of steps; a program."""

PERCEPTIONS = ("known", "camera")
"""The true map and things; what the frames of a tour tell."""
