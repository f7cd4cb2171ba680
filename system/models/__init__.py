"""The one seam to models (``base``), its backends, and what loads them (``loading``)."""
