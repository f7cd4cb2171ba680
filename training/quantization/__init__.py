"""Quantisation of a base model to 4 bits (AWQ), calibrated on prompts of our tasks."""
