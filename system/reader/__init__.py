"""The reader: an encoder that judges passages and claims without a language model."""
