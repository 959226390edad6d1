"""Whole tasks on the simulated table in one process: words, plans, skills and senses, no ROS."""
