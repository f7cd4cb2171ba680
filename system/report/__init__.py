"""HTML pages of what was checked: a claim, a run of claims, a text with its statements, a text with its citations.

Every page is one file that opens from disk, loads nothing and runs only its own script. ``page`` fills templates,
``claims`` and ``graphs`` turn results into plain data, ``run`` lays out a run, ``marked`` a text.
"""
