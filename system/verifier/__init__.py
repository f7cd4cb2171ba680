"""The verifier: what a passage says of a statement, and which sentence decides."""
