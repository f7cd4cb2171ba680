"""Training of the verifier, a cross-encoder that reads a passage and a statement."""
