"""Files that survive a crash: atomic writing and the journal."""
