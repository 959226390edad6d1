"""The flat's robot behind a server of Spot's own protocol (extra `spot`)."""
