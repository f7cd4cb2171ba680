"""Predictions, CSV, validation, scores and time reports."""
