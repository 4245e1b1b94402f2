#!/bin/sh
# Installs the named Debian packages that are missing. A check may use a program of the system (nginx as a peer of the
# gateway), but tests do not need root: without it a notice lists the skipped ones, and the run continues.
# A package whose program has another name is given as package:program.
set -u
missing=
for wanted in "$@"; do
  package=${wanted%%:*}
  program=${wanted#*:}
  command -v "$program" >/dev/null 2>&1 || [ -x "/usr/sbin/$program" ] || missing="$missing $package"
done
if [ -z "$missing" ]; then
  echo "present: $*"
  exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "NOTICE: not installed:$missing. What needs it is skipped; to have it: apt-get install$missing"
  exit 0
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # a list of words
if { apt-get update && apt-get -o DPkg::Lock::Timeout=120 install --yes --no-install-recommends $missing; } >/dev/null 2>&1; then
  echo "installed:$missing"
else
  echo "NOTICE: apt-get could not install:$missing. What needs it is skipped."
fi
