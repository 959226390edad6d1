"""What a person shows: recorded, kept in folders, checked, and cut into contact primitives."""
