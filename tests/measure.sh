#!/usr/bin/env bash
# Measures tests/run.sh and the rest of tests/all.sh, and writes the table of CONTRIBUTING.md.
#
#   bash tests/measure.sh [run|all] [idle|load]...
#
# Runs each command in a clone of the last commit, cold and then warm: on an idle machine, and beside ten compilers at the
# lowest priority. `run` leaves out tests/all.sh; `idle` or `load` selects one state of the machine, and the columns of
# the other stay empty. Run both commands once before, so that nothing is installed while the clock runs.
set -euo pipefail
cd "$(dirname "$0")/.."

commands=(run all) machines=()
for argument; do
  case $argument in
    run) commands=(run) ;;
    all) commands=(run all) ;;
    idle | load) machines+=("$argument") ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done
[ ${#machines[@]} != 0 ] || machines=(idle load)

work=$(mktemp --directory)
compilers=
trap 'stop_compilers; rm -rf "$work"' EXIT

# Ten compilers that never end, in a process group of their own.
start_compilers() {
  # A large function takes some seconds.
  {
    echo 'pub fn large(it: &mut Vec<String>) {'
    for i in {1..3000}; do echo "if it.len() % $i == 1 { it.push(format!(\"{} $i\", it.len())); }"; done
    echo '}'
  } >"$work/large.rs"
  set -m
  (
    for i in {1..10}; do
      while :; do
        nice -n 19 rustc --crate-type lib --out-dir "$work/large.$i" "$work/large.rs" 2>"$work/large.log"
      done &
    done
    wait
  ) &
  compilers=$!
  set +m
}

stop_compilers() {
  [ -z "$compilers" ] || kill -- "-$compilers" 2>/dev/null || true
  compilers=
}

git clone --quiet . "$work/tree"
cargo fetch --quiet --locked
cargo fetch --quiet --locked --manifest-path interop/bench/Cargo.toml
for machine in "${machines[@]}"; do
  rm -rf "$work/tree/target" "$work/tree/interop/java/target" "$work/tree/examples/java/target"
  [ "$machine" = idle ] || start_compilers
  for state in cold warm; do
    for command in "${commands[@]}"; do
      rest=
      [ "$command" = run ] || rest=--rest
      echo "$command.sh, $state, $machine" >&2
      STEPS=$work/$machine-$state-$command bash "$work/tree/tests/$command.sh" $rest >"$work/log" 2>&1 || {
        tail -n 60 "$work/log" >&2
        exit 1
      }
    done
  done
  stop_compilers
done

# The seconds of each step, `wall (CPU)`.
table() {
  echo "| Step | idle, cold | idle, warm | load, cold | load, warm |"
  echo "|---|---|---|---|---|"
  local command machine state files
  for command in "${commands[@]}"; do
    files=()
    for machine in idle load; do
      for state in cold warm; do
        files+=("$work/$machine-$state-$command")
        touch "${files[-1]}"
      done
    done
    awk -v OFS=' | ' -v title="tests/$command.sh" '
      { name = substr($0, 26); if (!(name in seen)) { seen[name]; order[++steps] = name }
        cell[name, FILENAME] = $1 " (" $2 ")" }
      END {
        for (i = 1; i <= steps; i++) {
          name = order[i]
          shown = name == "in all" ? "**" title "**" : name
          print "| " shown, cell[name, ARGV[1]], cell[name, ARGV[2]], cell[name, ARGV[3]], cell[name, ARGV[4]] " |"
        }
      }' "${files[@]}"
  done
}
table >"$work/table"
sed -i -e "/^<!-- measured -->/,/^<!-- end -->/{//!d}" -e "/^<!-- measured -->/r $work/table" CONTRIBUTING.md
