"""Networks that say where a hand can take hold of things."""
