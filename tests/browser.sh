#!/usr/bin/env bash
# The dashboard of `rdq serve` in Debian's Chromium, without a window. Installs it if it is missing.
#
#   bash tests/browser.sh                 the tests, in half a minute
#   bash tests/browser.sh pictures        draws the pictures of docs/operating anew, in three minutes
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh
need chromium chromium
need redis-server redis-server
need_libraries

if [ "${1:-}" = pictures ]; then
  SCREENSHOTS=$PWD/docs/operating/serve cargo test "${workspace[@]}" --test browser plots
else
  cargo test "${workspace[@]}" --test browser
fi
