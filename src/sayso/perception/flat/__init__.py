"""What stands where in a flat: from the stored frames of a tour, and kept up to date after it."""
