"""A person who teaches and a robot that practises, over topics."""
