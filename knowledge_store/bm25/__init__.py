"""The first stage: passages cut from pages, and BM25 over them in one compiled pass without an index."""
