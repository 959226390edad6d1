"""Going about a task in a flat with care for what moves: the same in one process and over ROS."""
