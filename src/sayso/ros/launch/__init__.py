"""The launch files of `ros2 launch`, run where that is absent, and in the background."""
