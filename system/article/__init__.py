"""Texts: which of their sentences claim something, what each says by itself, and what becomes of them."""
