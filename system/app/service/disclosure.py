"""What clients may learn of failures: which operation, and of which kind; the particulars are in the service's log.

The message of a failure can hold what only the operator should see: paths, addresses of model servers, keys in them.
"""

import logging

from system.records import ClaimResult, Content, Failure
from system.thoughts import Thought

log = logging.getLogger(__name__)


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
    """The failure with its cause alone; one without a cause has a message that is fit to be read.

    >>> message = "backend error: http://me:key@10.0.0.7 is gone"
    >>> public_failure(Failure(operation="answer", message=message, cause="backend error")).message
    'backend error; the service has logged the particulars'
    """
    if not failure.cause:
        return failure
    return failure.model_copy(update={"message": f"{failure.cause}; the service has logged the particulars"})
