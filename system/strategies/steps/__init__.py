"""Steps that several strategies share: questions, evidence, verdict, turns of a conversation."""
