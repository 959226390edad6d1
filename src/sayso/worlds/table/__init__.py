"""The simulated table: its things, where they stand, and the arm beside it."""
