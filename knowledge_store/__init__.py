"""Knowledge store: reading, chunking, first-stage ranking (BM25) and dense search (FAISS) over a claim's pages."""
