"""The executables: each converts, delegates and converts back."""
