"""Skills from a few demonstrations: where the hand goes, told by the frames of things."""
