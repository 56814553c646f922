#!/usr/bin/env bash
# Measures tests/run.sh and the rest of tests/all.sh, and writes the table of CONTRIBUTING.md.
#
#   bash tests/measure.sh [run|all] [idle|load]...
#
# Runs each command in a clone of the last commit, cold and then warm: on an idle machine, and beside ten compilers at the
# lowest priority. `run` leaves out tests/all.sh; `idle` or `load` selects one state of the machine. What was not measured
# stays in the table as it was. Run both commands once before, so that nothing is installed while the clock runs.
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
      STEP_TIMES=$work/$machine-$state-$command bash "$work/tree/tests/$command.sh" $rest >"$work/log" 2>&1 || {
        tail -n 60 "$work/log" >&2
        exit 1
      }
    done
  done
  stop_compilers
done

# The rows of a command in the table as it is. The last row of each command has its name.
rows_of() {
  sed -n '/^<!-- measured -->/,/^<!-- end -->/p' CONTRIBUTING.md | awk -v title="| **tests/$1.sh**" '
    /^\|/ && !/^\| Step|^\|---/ { rows = rows $0 "\n"
      if (index($0, title) == 1) printf "%s", rows
      if ($0 ~ /^\| \*\*/) rows = "" }'
}

# The seconds of each step, `wall (CPU)`.
table() {
  echo "| Step | idle, cold | idle, warm | load, cold | load, warm |"
  echo "|---|---|---|---|---|"
  local command machine state files
  for command in run all; do
    files=()
    for machine in idle load; do
      for state in cold warm; do
        files+=("$work/$machine-$state-$command")
        touch "${files[-1]}"
      done
    done
    rows_of "$command" >"$work/rows"
    awk -v title="**tests/$command.sh**" '
      function row(name) { if (name != title && !(name in seen)) { seen[name]; order[++steps] = name } }
      FILENAME == ARGV[5] { split($0, column, / *\| */); row(column[2])
        for (i = 1; i <= 4; i++) if (!(i in measured)) cell[column[2], i] = column[i + 2]; next }
      { for (i = 1; i <= 4; i++) if (FILENAME == ARGV[i]) place = i
        name = substr($0, 26); if (name == "in all") name = title
        measured[place]; row(name); cell[name, place] = $1 " (" $2 ")" }
      END {
        if (steps) order[++steps] = title
        for (i = 1; i <= steps; i++) {
          printf "| %s |", order[i]
          for (place = 1; place <= 4; place++) printf " %s |", cell[order[i], place]
          print ""
        }
      }' "${files[@]}" "$work/rows"
  done
}
table >"$work/table"
sed -i -e "/^<!-- measured -->/,/^<!-- end -->/{//!d}" -e "/^<!-- measured -->/r $work/table" CONTRIBUTING.md
