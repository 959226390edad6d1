"""Tasks that somebody upsets once while the robot is at them, and what came of each."""
