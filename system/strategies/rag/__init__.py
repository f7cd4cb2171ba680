"""RAG: one long prompt over diverse sources."""
