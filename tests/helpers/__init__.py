"""Stand-ins, factories and processes that tests share."""
