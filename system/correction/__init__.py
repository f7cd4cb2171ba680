"""Corrections: a refuted claim with what one sentence of evidence says in its place."""
