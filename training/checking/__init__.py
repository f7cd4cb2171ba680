"""Does an adapter do in the engine what it does in PEFT, does it keep the format, and what is its held-out loss?"""
