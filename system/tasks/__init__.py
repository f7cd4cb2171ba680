"""The base of all tasks (``base``), and the parts that prompts share."""
