"""Who may use the service, and where it listens: on loopback for this machine, elsewhere for clients with the token.

The command line imports this file, so it does without the packages that serve.
"""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

VARIABLE = "FACTCHECK_TOKEN"
SHORTEST = 16  # characters of a token
REMEDY = (
    f"write one into a file (python -c 'import secrets; print(secrets.token_urlsafe(32))') and give --token-file, "
    f"or set {VARIABLE}"
)


@Parameter(name="*")
@dataclass(frozen=True)
class ServeOptions:
    """Where the service listens, whom it trusts, and how much it takes."""

    host: Annotated[str, Parameter(help="address to bind; any but loopback needs a token")] = "127.0.0.1"
    port: Annotated[int, Parameter(validator=Number(gte=0, lt=2**16), help="port to bind (default: 8000)")] = 8000
    token_file: Annotated[Path | None, Parameter(help=f"file with the bearer token (or set {VARIABLE})")] = None
    queue: Annotated[int, Parameter(validator=Number(gte=1), help="claims and texts that may wait (default: 16)")] = 16
    body: Annotated[float, Parameter(validator=Number(gt=0, lt=1024), help="largest request (default: 8 MiB)")] = 8.0
    stores: Annotated[Path | None, Parameter(help="folder of stores NAME.json that claims can use")] = None
    kept: Annotated[int, Parameter(validator=Number(gte=1), help="finished checks to keep (default: 100)")] = 100


class AccessError(Exception):
    """The service cannot be opened as it was asked to be; the message says what is missing."""


def read_token(file: Path | None, host: str, environment: Mapping[str, str] = os.environ) -> str:
    """The bearer token that clients must send; empty where none is needed.

    Raises:
        AccessError: the host is reached from other machines and there is no token, or the token is unfit.
    """
    try:
        token = file.read_text(encoding="utf-8").strip() if file else environment.get(VARIABLE, "").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise AccessError(f"cannot read token file {file} ({error}); {REMEDY}") from error
    if not token and (file or not is_loopback(host)):
        where = f"{file} is empty" if file else f"--host {host} can be reached from other machines"
        raise AccessError(f"{where}, which needs a token; {REMEDY}")
    if token and not (len(token) >= SHORTEST and token.isascii() and token.isprintable() and " " not in token):
        raise AccessError(f"the token must have at least {SHORTEST} visible ASCII characters; {REMEDY}")
    return token


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("0.0.0.0"), is_loopback("factcheck.example")
    (True, True, False, False)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
