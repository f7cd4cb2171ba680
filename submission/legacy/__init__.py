"""The scores of AVeriTeC 2024: Hungarian METEOR (Schlichtkrull et al., 2023, section 4)."""
