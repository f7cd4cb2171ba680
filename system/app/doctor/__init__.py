"""``factgraph doctor``: what this machine has, what a profile needs, and what to do where the two differ."""
