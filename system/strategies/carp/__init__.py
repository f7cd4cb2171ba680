"""CARP (Lo et al., 2026): subclaims, a plan, teams for and against."""
