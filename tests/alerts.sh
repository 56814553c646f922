#!/usr/bin/env bash
# Checks docs/monitoring/alerts.yml, and tests that each alert fires when it should: tests/alerts.yml.
set -euo pipefail
cd "$(dirname "$0")"
. ./need.sh
need promtool prometheus

promtool check rules ../docs/monitoring/alerts.yml
promtool test rules alerts.yml
