"""The play table without physics: things go where a behaviour would bring them, if it worked."""
