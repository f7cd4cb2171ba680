"""Retrieval for one claim at a time: pages in, ranked passages out.

``pages`` reads and filters pages, ``bm25`` cuts and scores them, ``dense`` searches by meaning.
``ranking.rank`` is the first stage (for the claim), ``dense.search.search`` the second (for each question).
"""
