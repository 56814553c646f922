# Sourced by run.sh and all.sh. Runs one step after the other, and says at the end what each cost.

steps=$(mktemp --directory)
trap finish EXIT

# step KIND NAME COMMAND...: runs the command, which builds or runs something, and notes what it cost. Fails as it does.
step() {
  local kind=$1 name=$2 times=$steps/times.$BASHPID status=0 TIMEFORMAT='%R %U %S' wall user system
  shift 2
  echo "== $name: $*" >&2
  { time "$@" 2>&4 || status=$?; } 4>&2 2>"$times"
  read -r wall user system < <(tail -n 1 "$times")
  awk '{ printf "%7.0f  %7.0f  %-5s  %s\n", $1, $2 + $3, kind, name }' kind="$kind" name="$name" \
    <<<"$wall $user $system" >>"$steps/table"
  return $status
}

# build ARG...: builds the test programs that are named as for `cargo test`, and all programs that these start.
build() {
  step build "test programs" cargo test "${workspace[@]}" --no-run "$@"
}

# check NAME COMMAND...: runs a command that tests something. If it fails, the next steps run all the same, and the
# script fails in the end.
check() {
  local name=$1
  shift
  step run "$name" "$@" || echo "$name" >>"$steps/failed"
}

# tests NAME THREADS ARG...: checks with test programs. ARGs are those of `cargo test`; what follows `--` is for the
# programs.
tests() {
  local name=$1 threads=$2 output=$steps/output.$BASHPID
  shift 2
  [[ " $* " == *" -- "* ]] || set -- "$@" --
  RUST_TEST_THREADS=$threads check "$name" cargo test "${timed[@]}" "${workspace[@]}" --no-fail-fast "$@" \
    -Z unstable-options --report-time | tee "$output"
  sed -nE 's/^test (.*) \.\.\. ok <([0-9.]+)s>$/\2 \1/p' "$output" >>"$steps/tests"
}

# A stable test program tells the time of each test only so.
timed=(--config 'target."cfg(all())".runner=["env","RUSTC_BOOTSTRAP=1"]')

# beside COMMAND...: runs the command while the next steps run. `join` waits for it and shows what it printed.
beside() {
  "$@" >"$steps/beside" 2>&1 &
  beside=$!
}

join() {
  wait "$beside"
  beside=
  cat "$steps/beside" >&2
}
beside=

finish() {
  [ -z "$beside" ] || join
  if [ -s "$steps/tests" ]; then
    printf '\nThe slowest tests, in seconds:\n' >&2
    sort -rn "$steps/tests" | awk 'NR <= 10 { printf "%7.1f  %s\n", $1, $2 }' >&2
  fi
  local cpu
  # Not in a subshell, which has started nothing.
  times >"$steps/times"
  cpu=$(awk -F '[ms ]+' '{ cpu += 60 * ($1 + $3) + $2 + $4 } END { print cpu }' "$steps/times")
  printf '%7.0f  %7.0f  %-5s  %s\n' "$SECONDS" "$cpu" "" "in all" >>"$steps/table"
  printf '\nSeconds, and those of all processors:\n   wall      CPU\n' >&2
  cat "$steps/table" >&2
  [ -z "${STEPS:-}" ] || cp "$steps/table" "$STEPS"
  local failed=
  if [ -e "$steps/failed" ]; then
    failed=1
    sed 's/^/failed: /' "$steps/failed" >&2
  fi
  rm -r "$steps"
  [ -z "$failed" ] || exit 1
}
