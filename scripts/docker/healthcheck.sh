#!/usr/bin/env bash
# The health of a container: a service must answer; a run is healthy as long as it lives.
# From the environment: PORT, of the service (default: 8000)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
grep -qz '^serve$' "${CMDLINE:-/proc/1/cmdline}" || exit 0
exec "$root/.venv/bin/python" -c '
import sys, urllib.request
urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/healthz", timeout=5).read()
' "${PORT:-8000}"
