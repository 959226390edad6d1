"""One task over ROS: the executor's stages, the person's side of it, and demos."""
