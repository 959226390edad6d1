"""Errands in a kitchen and a lab, without physics, after the tasks of CAPE's Spot."""
