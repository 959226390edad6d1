"""Core values to messages and back, and the quality of service they travel with."""
