"""The runner: keeps the model busy and the results safe."""
