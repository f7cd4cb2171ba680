"""Operations of the graph of thoughts: what strategies are made of."""
