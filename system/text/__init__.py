"""Plain language: words and sentences, texts that are no claim, where a quotation stands."""
