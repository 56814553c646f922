#!/usr/bin/env bash
# The dashboard of `rdq serve` in Debian's Chromium, without a window. Installs it if it is missing.
#
#   bash tests/browser.sh                 the tests, in half a minute
#   bash tests/browser.sh --if-installed  the same, or nothing if there is no Chromium
#   bash tests/browser.sh pictures        draws the pictures of docs/operating anew, in three minutes
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh

if [ "${1:-}" = --if-installed ]; then
  shift
  if ! command -v chromium >/dev/null; then
    echo "chromium is not installed: the dashboard is not tested in a browser" >&2
    exit
  fi
fi
need chromium chromium
need redis-server redis-server

if [ "${1:-}" = pictures ]; then
  SCREENSHOTS=$PWD/docs/operating/serve cargo test --locked --package rdq --test browser plots
else
  cargo test --locked --package rdq --test browser
fi
