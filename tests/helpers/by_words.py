"""In place of the trained reader: one that goes by words, so that tests of what is read need no model."""

import re

import numpy as np

from system.check import Engine
from system.models.extractive import ExtractiveModel
from system.text.quantities import quantities
from system.text.words import content_stems
from tests.helpers.bridge import BagOfWords, settings_with


class ByWords:
    """Supported if the passage has all words of the statement, refuted if it has all but a number."""

    language = "en"
    thresholds = (0.5, 0.5)

    def probabilities(self, pairs):
        return np.array([self._judge(*pair) for pair in pairs], dtype=np.float32).reshape(-1, 3)

    def _judge(self, passage, statement):
        statement = re.sub(r"^\[[^\]]*\] ", "", statement)  # its context
        missing = content_stems(statement) - content_stems(passage)
        if not missing:
            return 0.96, 0.02, 0.02
        numbers = {text for number in quantities(statement) for text in content_stems(number.text)}
        return (0.02, 0.96, 0.02) if missing <= numbers and quantities(passage) else (0.02, 0.02, 0.96)

    def labels(self, pairs):
        judged = self.probabilities(pairs)
        return np.hstack([judged, np.zeros((len(pairs), 1), np.float32)])


def reading_engine(settings=None, reader=None):
    """An engine without a language model, which reads documents by their words."""
    settings = settings or settings_with(reading__document_strategy="entailment")
    return Engine(ExtractiveModel(BagOfWords()), BagOfWords(), settings, reader=reader or ByWords())
