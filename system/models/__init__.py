"""Backends behind the one seam to models (see ``base``)."""
