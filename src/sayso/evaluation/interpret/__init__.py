"""InterPreT's experiments: a simulated person teaches, the robot learns and is tested."""
