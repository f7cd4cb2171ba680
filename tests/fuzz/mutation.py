"""Changes to inputs that keep their JSON whole, so that what lies behind the parser is reached as well."""

import json
import math
from random import Random
from typing import Any

# What programs and people write where something else was meant.
HOSTILE = (None, True, 0, -1, 1.5, 1e308, 10**30, math.nan, math.inf, "", " ", "NA", "nan", "7", "\ud800", "\0",
           "\t\t\n\n", "\r\n", "x" * 300, [], {}, [[]], [{}], {"": ""})  # fmt: skip


def mutate_json(data: bytes, random: Random) -> bytes | None:
    """Change, drop or replace one value of the JSON that a random line holds; None where the line holds none."""
    lines = data.split(b"\n")
    number = random.randrange(len(lines))
    line = lines[number]
    start = min((place for place in (line.find(b"{"), line.find(b"[")) if place >= 0), default=0)
    try:
        changed = _changed(json.loads(line[start:]), random)
        lines[number] = line[:start] + json.dumps(changed, ensure_ascii=random.random() < 0.5).encode()
    except (ValueError, RecursionError):
        return None
    return b"\n".join(lines)


def _changed(value: Any, random: Random) -> Any:
    """The value with one change at a random place within it."""
    keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value) if type(value) is list else 0))
    if not keys or random.random() < 0.1:
        return random.choice(HOSTILE)
    key, copy = random.choice(keys), value.copy()
    if random.random() < 0.1:
        del copy[key]
    else:
        copy[key] = _changed(copy[key], random)
    return copy
