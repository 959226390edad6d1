"""The flow around the pipeline: understanding, and tours of a flat among what moves."""
