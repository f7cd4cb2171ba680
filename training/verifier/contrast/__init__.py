"""Contrast groups: what a sentence supports, refutes and leaves open, made from it by rule.

Each edit takes a text and a random generator and returns the edited text, or None where it does not apply.
"""
