# Sourced by the scripts that create virtual environments. They set venv, its folder, and log, a file for the tools' output.

fail() { echo "setup failed: $1" >&2; exit 1; }

fail_with_log() { fail "$(grep -i error "$log" | tail -n 1 || tail -n 1 "$log"); see $log"; }

make_venv() { # an empty environment, and an empty log
  local python=${PYTHON:-python3}
  command -v "$python" >/dev/null || fail "$python not found; install Python 3.11 or newer, or set PYTHON"
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$("$python" --version) is too old; install Python 3.11 or newer, or set PYTHON"
  : >"$log"
  [ -x "$venv/bin/pip" ] || "$python" -m venv "$venv" >>"$log" 2>&1 ||
    fail "cannot make a virtual environment (Debian: apt install python3-venv); see $log"
}

install() { # arguments of "pip install"; with uv, which takes a tenth of pip's time, or with pip if uv fails
  local uv pip="$venv/bin/python -m pip"
  uv=$(command -v uv) || {
    uv=$venv/bin/uv
    [ -x "$uv" ] || $pip install --quiet uv >>"$log" 2>&1 || true
    # uv reads no settings of pip
    local index
    index=${UV_DEFAULT_INDEX:-$($pip config get global.index-url 2>/dev/null || true)}
    [ -z "$index" ] || export UV_DEFAULT_INDEX=$index
    export UV_FIND_LINKS=${UV_FIND_LINKS:-${PIP_FIND_LINKS:-}}
  }
  "$uv" pip install --quiet --python "$venv/bin/python" "$@" >>"$log" 2>&1 && return
  echo "uv could not do that; asking pip" >>"$log"
  $pip install --quiet --no-compile "$@" >>"$log" 2>&1
}

has_gpu() { nvidia-smi --list-gpus >/dev/null 2>&1; }

install_cpu_torch() { # PyTorch's own index has this build; docs/install.md says how to name it where PyPI does not
  local torch
  torch=$(grep '^torch==' "$root/constraints.txt")
  install --no-deps "$torch+cpu" ||
    echo "no build of $torch for CPUs alone; taking what the package index has" >>"$log"
}
