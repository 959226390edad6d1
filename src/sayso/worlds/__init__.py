"""Simulated worlds: a table and a flat in MuJoCo, a kitchen in 2D, a table without physics."""
