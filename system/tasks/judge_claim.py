"""Judge a claim by questions and answers (section 3.2.4): with reasons, or by a label alone."""

from pydantic import computed_field

from system.records import NO_ANSWER, Label, QuestionAnswer
from system.tasks.base import Adapter, Reply, Task, Text
from system.words import beyond

DIFFERENCES = 5  # that a prompt names, on each side


class VerdictReply(Reply):
    """Justification before label, so that the label is conditioned on the reasons (section 3.2.4)."""

    label_field = "label"

    justification: Text
    label: Label


class JudgeClaim(Task[VerdictReply]):
    """Judge the claim by the questions and answers of a branch (section 3.2.4).

    Attributes:
        by_sentence: rules shall compare the claim with each sentence that was found; a language model judges as ever.
    """

    name = "judge_claim"
    adapter = Adapter.VERDICT_PREDICTION
    reply_type = VerdictReply
    max_tokens = 320

    pairs: tuple[QuestionAnswer, ...]
    by_sentence: bool = False


class LabelReply(Reply):
    """A label without reasons."""

    label_field = "label"

    label: Label


class LabelClaim(Task[LabelReply]):
    """Judge the claim as ``JudgeClaim`` does, without a justification: for models too small to reason first.

    Such a model overlooks that a number or a name differs; the prompt says in what claim and answers differ.
    """

    name = "label_claim"
    adapter = Adapter.VERDICT_PREDICTION
    reply_type = LabelReply
    max_tokens = 48

    pairs: tuple[QuestionAnswer, ...]

    @computed_field
    def only_in_claim(self) -> str:
        """What the claim says and no answer does."""
        return "; ".join(beyond(self.claim.text, self._answered, telling=False, limit=DIFFERENCES))

    @computed_field
    def only_in_answers(self) -> str:
        """The numbers and names that the answers give and the claim does not."""
        return "; ".join(beyond(self._answered, self.claim.text, telling=True, limit=DIFFERENCES))

    @property
    def _answered(self) -> str:
        return "\n".join(pair.answer for pair in self.pairs if pair.answer != NO_ANSWER)
