"""Data sets and training of what the system learns."""
