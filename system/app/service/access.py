"""Who may use the service: on loopback everybody on this machine, elsewhere who has the token.

The command line imports this file, so it does without the packages that serve.
"""

import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path

VARIABLE = "FACTCHECK_TOKEN"
SHORTEST = 16  # characters of a token
REMEDY = (
    f"write one into a file (python -c 'import secrets; print(secrets.token_urlsafe(32))') and give --token-file, "
    f"or set {VARIABLE}"
)


class AccessError(Exception):
    """The service cannot be opened as it was asked to be; the message says what is missing."""


def read_token(file: Path | None, host: str, environment: Mapping[str, str] = os.environ) -> str:
    """The bearer token that clients must send; empty where none is needed.

    Raises:
        AccessError: the host is reached from other machines and there is no token, or the token is unfit.
    """
    try:
        token = file.read_text(encoding="utf-8").strip() if file else environment.get(VARIABLE, "").strip()
    except FileNotFoundError as error:
        raise AccessError(f"token file {file} not found; {REMEDY}") from error
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
