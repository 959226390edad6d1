"""`sayso eval blade`: behaviours from play compose to goals, states and obstacles never shown."""
