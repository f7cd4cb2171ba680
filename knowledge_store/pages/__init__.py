"""Pages: what a claim's evidence is cut from, where it is read, and which of it is admitted."""
