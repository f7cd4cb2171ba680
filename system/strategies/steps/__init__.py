"""Steps that several strategies share: questions, evidence, verdict."""
