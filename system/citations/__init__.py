"""Citations: the sentences of a text that cite a source, and whether the source says what they say."""
