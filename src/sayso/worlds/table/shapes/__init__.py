"""Shapes of things on a table: families of mugs, bottles and the like, drawn from seeds."""
