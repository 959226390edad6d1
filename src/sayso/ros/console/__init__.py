"""The console: a page in the browser for the person at the robot."""
