"""Simulated people: they know what is true of a simulated world, and teach it."""
