"""Whole tasks in the simulated flat in one process: words, tours, skills and senses, no ROS."""
