"""How every node is configured, run, watched and ended."""
