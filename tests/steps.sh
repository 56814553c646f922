# Sourced by run.sh and all.sh. Runs steps, and prints at the end what each cost.

steps=$(mktemp --directory)
# Programs that a test kills leave temporary files behind.
mkdir "$steps/tmp"
export TMPDIR=$steps/tmp
# The fuzz tests, `interop` and `sim` begin with this seed, and print it. Each commit has another: it tries new values, and
# a run of the same commit tries them again.
tree=$(git rev-parse --verify --quiet 'HEAD^{tree}' || echo 0000001)
export SEED=${SEED:-$((16#${tree:0:7}))}
echo "SEED=$SEED" >&2
background=
trap finish EXIT
# Stable Rust prints the time of each test only with this variable.
timed=(--config 'target."cfg(all())".runner=["env","RUSTC_BOOTSTRAP=1"]')

# step KIND NAME COMMAND...: runs the command, which builds or runs something, and notes what it cost. Fails as it does.
step() {
  local kind=$1 name=$2 times=$steps/times.$BASHPID status=0 TIMEFORMAT='%R %U %S' wall user system
  shift 2
  echo "== $name: $*" >&2
  # In a subshell: otherwise `time` adds what the background did.
  (time "$@" 2>&4) 4>&2 2>"$times" || status=$?
  read -r wall user system < <(tail -n 1 "$times")
  awk '{ printf "%7.0f  %7.0f  %-5s  %s\n", $1, $2 + $3, kind, name }' kind="$kind" name="$name" \
    <<<"$wall $user $system" >>"$steps/table"
  return $status
}

# attempt KIND NAME COMMAND...: a step. If it fails, the next steps run all the same, and the script fails in the end.
attempt() {
  { step "$@" || echo "$2" >>"$steps/failed"; } 2>&1 | tee -a "$steps/output.$BASHPID" >&2
}

# check NAME COMMAND...: attempts a command that tests something.
check() {
  attempt run "$@"
}

# tests NAME THREADS ARG...: checks with test programs. ARGs are those of `cargo test`; what follows `--` is for the
# programs.
tests() {
  local name=$1 threads=$2
  shift 2
  [[ " $* " == *" -- "* ]] || set -- "$@" --
  RUST_TEST_THREADS=$threads check "$name" bounded cargo test "${timed[@]}" "${workspace[@]}" --no-fail-fast "$@" \
    -Z unstable-options --report-time
}

# bounded COMMAND...: runs it. After half an hour, several times what the longest step takes beside load, something
# hangs: names what the command started and still runs, and kills it.
bounded() {
  "$@" &
  local command=$! end=$((SECONDS + 1800)) process
  while kill -0 "$command" 2>/dev/null; do
    if [ "$SECONDS" -ge "$end" ]; then
      echo "hangs: $*"
      for process in $(descendants "$command"); do
        echo "killed: $(tr '\0' ' ' <"/proc/$process/cmdline")"
        kill -KILL "$process"
      done
      end=$((SECONDS + 1800))
    fi
    sleep 1
  done 2>/dev/null
  wait "$command"
}

# descendants PID: prints the processes that this one started, and those that these started, the last first.
descendants() {
  local child
  for child in $(cat /proc/"$1"/task/*/children); do
    descendants "$child"
    echo "$child"
  done
}

# in_background COMMAND...: runs the command while the next steps run.
in_background() {
  "$@" >"$steps/background" 2>&1 &
  background=$!
}

# await_background: waits for it, and prints what it printed.
await_background() {
  wait "$background"
  background=
  cat "$steps/background" >&2
}

finish() {
  [ -z "$background" ] || await_background
  cat "$steps"/output.* >"$steps/output" 2>/dev/null || true
  slowest <"$steps/output"
  local cpu failed=
  # Not in a subshell, which has started nothing.
  times >"$steps/times"
  cpu=$(awk -F '[ms ]+' '{ cpu += 60 * ($1 + $3) + $2 + $4 } END { print cpu }' "$steps/times")
  printf '%7.0f  %7.0f  %-5s  %s\n' "$SECONDS" "$cpu" "" "in all" >>"$steps/table"
  printf '\nSeconds:\n   wall      CPU\n' >&2
  cat "$steps/table" >&2
  [ -z "${STEP_TIMES:-}" ] || cp "$steps/table" "$STEP_TIMES"
  if [ -e "$steps/failed" ]; then
    failed=1
    # The first line of each panic, too: what stands above is long.
    grep -A 1 "^thread '.* panicked at" "$steps/output" >&2 || true
    hung <"$steps/output" >&2
    sed 's/^/failed: /' "$steps/failed" >&2
  fi
  # A program that ends just now may still write there.
  rm -rf "$steps" || true
  [ -z "$failed" ] || exit 1
}

# slowest: names the ten slowest tests of the output.
slowest() {
  local tests
  tests=$(sed -nE 's/^test (.*) \.\.\. ok <([0-9.]+)s>$/\2 \1/p' | sort -rn)
  [ -z "$tests" ] || printf '\nThe slowest tests, in seconds:\n' >&2
  awk 'NF == 2 && NR <= 10 { printf "%7.1f  %s\n", $1, $2 }' <<<"$tests" >&2
}

# hung: names the tests of the output that took longer than a minute and did not end.
hung() {
  awk '/^test .* has been running for over/ { hung[$2] }
    /^test .* \.\.\. / { delete hung[$2] }
    END { for (test in hung) print "did not end: " test }'
}
