"""Shell completion: what bash offers with the printed script."""

import shutil
import subprocess

import pytest

from system.app import cli


def offered(script: str, *words: str) -> set[str]:
    """Bash's offers for the last of the words."""
    line = " ".join(f"'{word}'" for word in words)
    asks = f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _factgraph; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "-c", f"{script}\n{asks}"], capture_output=True, text=True, check=True, timeout=900)
    return set(done.stdout.split())


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_bash_completes_commands_options_and_choices(capsys):
    assert cli.main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    assert {"verify", "doctor", "fetch", "completion"} <= offered(script, "factgraph", "")
    assert offered(script, "factgraph", "doc") == {"doctor"}
    assert {"--claims", "--strategy"} <= offered(script, "factgraph", "run", "--")
    assert {"got", "debatecv"} <= offered(script, "factgraph", "run", "--strategy", "")
    assert "--documents" in offered(script, "factgraph", "verify", "--")
