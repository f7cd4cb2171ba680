"""Claims and evidence as a graph of thoughts: the records, the vertices, the append-only graph."""
