"""What stands in for the drivers of a robot: a simulated world over ROS."""
