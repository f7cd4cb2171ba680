"""Ev2R: a judge compares predicted with gold evidence, fact by fact (Akhtar et al., 2024; the score of FEVER-8)."""
