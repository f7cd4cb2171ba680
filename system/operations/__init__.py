"""Operations of the graph of thoughts, one file each."""
