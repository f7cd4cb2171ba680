"""What clients may learn of failures: which operation, and of which kind; the particulars are in the service's log.

The message of a failure can hold what only the operator should see: paths, addresses of model servers, keys in them.
"""

import logging

from system.records import ClaimResult, Content, Failure
from system.thoughts import Thought

log = logging.getLogger(__name__)
OWN = {"vote", "cite", "read"}  # operations whose messages are sentences of ours and hold nothing else


def public_thought(thought: Thought[Content]) -> Thought[Content]:
    """The thought, of a failure without its particulars, which are logged."""
    content = thought.content
    if not isinstance(content, Failure):
        return thought
    log.warning("%s: %s", content.operation, content.message)
    return thought.model_copy(update={"content": public_failure(content)})


def public_result(result: ClaimResult) -> ClaimResult:
    """The result, its failures without their particulars, which are logged."""
    for failure in result.failures:
        log.warning("%s: %s", failure.operation, failure.message)
    return result.model_copy(update={"failures": tuple(map(public_failure, result.failures))})


def public_failure(failure: Failure) -> Failure:
    """The failure with its kind alone, which is what stands before the colon.

    >>> public_failure(Failure(operation="answer", message="backend error: http://me:key@10.0.0.7 is gone")).message
    'backend error; the service has logged the particulars'
    """
    if failure.operation in OWN:
        return failure
    kind = failure.message.partition(":")[0]
    return failure.model_copy(update={"message": f"{kind}; the service has logged the particulars"})
