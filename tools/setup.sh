#!/bin/sh
# Sets up $VENV with RCK, all its extras and the developer tools. Called by the Makefile.
# System packages are installed only in CI or with SYSTEM=1; otherwise the command that installs them is printed.
set -eu
PYTHON="${PYTHON:-python3}"
VENV="${VENV:-.venv}"

if ! "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "RCK needs Python 3.11 or newer; '$PYTHON' is not. Try: make PYTHON=python3.12 ..." >&2
    exit 2
fi

if ! "$PYTHON" -m venv "$VENV"; then
    if [ -n "${CI:-}${SYSTEM:-}" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq && apt-get install -y -qq python3-venv
        "$PYTHON" -m venv "$VENV"
    else
        echo "Python's venv module is incomplete here. On Debian: apt install python3-venv" >&2
        exit 2
    fi
fi

"$VENV/bin/python" -m pip install --quiet --disable-pip-version-check -e '.[all,dev]'
"$VENV/bin/python" tools/system_packages.py
"$VENV/bin/python" -m rck.kernels
