"""A robot's body over ROS: drivers, cameras, laser, frames, and what is sensed."""
