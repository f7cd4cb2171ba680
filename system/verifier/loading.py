"""Verifiers by their names."""

from pathlib import Path

from system.verifier.base import Verifier

BUNDLED = "minilm"


def load_verifier(name: str = BUNDLED) -> Verifier:
    """The bundled verifier, or any sentence-pair model in a folder or on the model hub.

    Raises:
        VerifierUnavailable: no such model, damaged files, or labels other than those of entailment.
    """
    if name == BUNDLED:
        from system.verifier.openvino import OpenVinoVerifier

        return OpenVinoVerifier(Path(__file__).parent / BUNDLED)
    from system.verifier.sentence_pairs import SentencePairVerifier

    return SentencePairVerifier(name)
