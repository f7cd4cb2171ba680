"""The addresses of the service for people, from its OpenAPI schema: types, examples, statuses, and a call with curl."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Schema = Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    """A field of a body, or a parameter of an address."""

    name: str
    type: str
    required: bool
    description: str


@dataclass(frozen=True)
class Operation:
    """One method of an address."""

    call: str
    description: str
    rows: tuple[Row, ...]
    statuses: tuple[tuple[str, str, str], ...]  # status, meaning, what comes with it
    curl: str


def operations(schema: Schema, closed: bool, base: str) -> list[Operation]:
    """All operations.

    Args:
        schema: of OpenAPI.
        closed: whether clients send a token.
        base: the address under which the service was asked, for the calls.
    """
    return [
        Operation(
            call=f"{method.upper()} {path}",
            description=operation.get("description", ""),
            rows=(*_parameters(operation, schema), *_body(operation, schema)),
            statuses=tuple(_statuses(operation, schema)),
            curl=_curl(method, base + path, operation, schema, closed and "security" in operation),
        )
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]


def models(schema: Schema) -> list[tuple[str, list[Row]]]:
    """The objects of bodies: name and fields of each that an operation takes or returns."""
    left_out = ("HTTPValidationError", "ValidationError")  # the framework's; errors here are ``Problem``
    components = schema["components"]["schemas"]
    return [(name, list(_fields(one, schema))) for name, one in components.items() if name not in left_out]


def _parameters(operation: Schema, schema: Schema) -> Iterator[Row]:
    for one in operation.get("parameters", ()):
        name = f"{one['name']} ({one['in']})"
        yield Row(name, _type(one["schema"]), one.get("required", False), one.get("description", ""))


def _body(operation: Schema, schema: Schema) -> Iterator[Row]:
    if "requestBody" in operation:
        yield from _fields(_resolved(operation["requestBody"]["content"]["application/json"]["schema"], schema), schema)


def _fields(one: Schema, schema: Schema) -> Iterator[Row]:
    required = one.get("required", ())
    for name, field in one.get("properties", {}).items():
        yield Row(name, _type(field), name in required, field.get("description", ""))


def _resolved(one: Schema, schema: Schema) -> Schema:
    found: Schema = schema["components"]["schemas"][one["$ref"].rsplit("/", 1)[1]] if "$ref" in one else one
    return found


def _type(field: Schema) -> str:
    """A type in words.

    >>> _type({"type": "array", "items": {"$ref": "#/components/schemas/UploadedDocument"}, "maxItems": 64})
    'list of UploadedDocument, at most 64'
    >>> _type({"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "null"}]})
    'number above 0 or null'
    """
    if "$ref" in field:
        return str(field["$ref"]).rsplit("/", 1)[1]
    for several in ("anyOf", "oneOf"):
        if several in field:
            return " or ".join(map(_type, field[several]))
    if "enum" in field:
        return "one of " + ", ".join(map(json.dumps, field["enum"]))
    match field.get("type"):
        case "array":
            most = f", at most {field['maxItems']}" if "maxItems" in field else ""
            return f"list of {_type(field.get('items', {}))}{most}"
        case "string":
            most = f", at most {field['maxLength']:,} characters" if "maxLength" in field else ""
            return f"string{most}"
        case "integer" | "number" as kind:
            least = f" above {field['exclusiveMinimum']:g}" if "exclusiveMinimum" in field else ""
            return f"{kind}{least}"
        case None:
            return "any"
        case other:
            return str(other)


def _statuses(operation: Schema, schema: Schema) -> Iterator[tuple[str, str, str]]:
    for status, answer in operation["responses"].items():
        kinds = ", ".join(answer.get("content", {})) or "no body"
        found = [_type(one["schema"]) for one in answer.get("content", {}).values() if "$ref" in one.get("schema", {})]
        yield status, answer["description"], ", ".join([kinds, *found])


def _curl(method: str, address: str, operation: Schema, schema: Schema, closed: bool) -> str:
    parts = ["curl --silent"]
    if method != "get":
        parts.append(f"--request {method.upper()}")
    if closed:
        parts.append('--header "Authorization: Bearer $TOKEN"')
    parts.append(address.replace("{claim_id}", "$ID").replace("{text_id}", "$ID"))
    if "requestBody" in operation:
        example = _resolved(operation["requestBody"]["content"]["application/json"]["schema"], schema)["examples"][0]
        parts.append("--json '" + json.dumps(example, indent=2, ensure_ascii=False).replace("'", "'\\''") + "'")
    return " \\\n  ".join(parts)
