"""Arguments of the tools, from which their JSON schemas are made."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from system.app.service.schema import DOCUMENTS, TEXT, DocumentName

QUERY = 2000  # characters
HITS = 50  # passages of a search


class DocumentText(BaseModel):
    """A text to check against."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: DocumentName = ""
    text: str = Field(min_length=1, description="plain text or Markdown")


Documents = Annotated[
    tuple[DocumentText, ...],
    Field(
        max_length=DOCUMENTS,
        description="texts to check against, in place of what this server was started with; paths and addresses in "
        "them are never opened",
    ),
]
Text = Annotated[str, Field(min_length=1, max_length=TEXT, pattern=r"\S", description="plain text or Markdown")]
Query = Annotated[str, Field(min_length=1, max_length=QUERY, pattern=r"\S", description="a question, or words")]
Limit = Annotated[int, Field(ge=1, le=HITS, description="passages to return")]
Token = Annotated[str, Field(max_length=100, description="of an answer that was not complete")]
