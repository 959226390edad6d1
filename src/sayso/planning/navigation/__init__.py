"""Where a mobile base may go, what going there means to the task, and the cheapest way to do it.

Frame `map`: x, y in metres on the floor, z up.
"""
