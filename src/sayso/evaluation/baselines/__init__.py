"""Planners of the kind that SaySo is compared with."""
