"""Entailment: read the sentences that bear on each statement of a claim; no language model takes part."""
