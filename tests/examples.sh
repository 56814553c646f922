#!/usr/bin/env bash
# Runs the programs of examples/ against a fresh Redis, each as its header says, and checks what they print.
# examples/demo.sh is left out: it builds a release, and the tests of interop/ cover what it does.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh
need redis-server redis-server
need curl curl
need_jdk

need_programs
mvn -q -B -f examples/java/pom.xml process-classes

output=$(mktemp --directory)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait; rm -r "$output"' EXIT

# start_redis: starts a Redis on a free port, and exports REDIS_URL.
start_redis() {
  local attempt port pid
  for attempt in {1..10}; do
    port=$((20000 + RANDOM % 12000))
    redis-server --port $port --bind 127.0.0.1 --save "" --dir "$output" >"$output/redis" &
    pid=$!
    while kill -0 $pid 2>/dev/null; do
      # Another server may have the port.
      if redis-cli -p $port INFO server 2>/dev/null | grep -q "^process_id:$pid"; then
        pids+=($pid)
        export REDIS_URL=redis://127.0.0.1:$port
        return
      fi
      sleep 0.05
    done
  done
  echo "redis-server found no free port, $attempt times" >&2
  exit 1
}

# start EXAMPLE: runs it in the background.
declare -A pid_of
start() {
  "target/debug/examples/$1" >"$output/$1" 2>&1 &
  pid_of[$1]=$!
  pids+=($!)
}

# place_orders QUEUE COUNT: runs the Java producer in the background.
place_orders() {
  java -cp 'examples/java/target/classes:examples/java/target/lib/*' com.example.PlaceOrders "$@" >"$output/$1" 2>&1 &
  pid_of[$1]=$!
  pids+=($!)
}

fail() {
  echo "$1" >&2
  cat "$output/${1%%:*}" >&2
  exit 1
}

# expect EXAMPLE LINE...: waits until it has printed each of these lines. It may print others.
expect() {
  local example=$1 line deadline=$((SECONDS + 60))
  shift
  for line; do
    until grep -qxF -e "$line" "$output/$example"; do
      [ $SECONDS -lt $deadline ] || fail "$example: did not print: $line"
      sleep 0.05
    done
  done
}

# stop EXAMPLE SIGNAL: sends the signal; the example must then end without an error.
stop() {
  kill "-$2" "${pid_of[$1]}"
  finish "$1"
}

# finish EXAMPLE: waits until it has ended, without an error.
finish() {
  local status=0
  wait "${pid_of[$1]}" || status=$?
  [ $status = 0 ] || fail "$1: ended with status $status"
}

start_redis
start periodic
start order_timeouts
place_orders example-timeouts 10
start migration
place_orders example-migration 30
start take
start offer
start worker
start java_class
start reminders
start otel
export METRICS=127.0.0.1:$((20000 + RANDOM % 12000))
start metrics

finish java_class
expect java_class 'Parcel { street: Some("1 Main St"), grams: 850 }'

finish reminders
expect reminders "Replaced: order 17 has 3 items" "in 30 min: the sale begins" "in 60 min: order 17 has 3 items"

finish otel
expect otel "order 17 is shipped"
# link SPAN id|parent: the trace of the span, and its id or that of its parent.
link() {
  awk -v name="$1:" -v last="$2" '$1 == name { print $3, last == "id" ? $5 : $7 }' "$output/otel" | tr -d ,
}
for pair in "offer request" "handle offer" "ship handle"; do
  read -r child parent <<<"$pair"
  [ -n "$(link "$child" parent)" ] || fail "otel: no span $child"
  [ "$(link "$child" parent)" = "$(link "$parent" id)" ] || fail "otel: the span $child is not in $parent"
done

finish offer
expect take "took: hello after 1 s" "took: hello after 2 s" "took: hello after 3 s"
stop take INT

expect worker "order 7 is shipped" "attempt 3 at order 3" "attempt 3 at order 6" "order 3 is shipped" "order 6 is shipped"
stop worker TERM
expect worker "order 8 is dead: an order of nothing"

finish example-timeouts
expect example-timeouts "Java placed order 1" "Java placed order 10"
for order in {1..10}; do
  case $order in
    3 | 6 | 9) expect order_timeouts "order $order is paid" ;;
    *) expect order_timeouts "order $order is cancelled" ;;
  esac
done
stop order_timeouts INT
[ "$(grep -c '^order' "$output/order_timeouts")" = 10 ] || fail "order_timeouts: an order came twice"

finish example-migration
finish migration
expect migration "deploy the new program" "stop the old program" "30 orders came once each"

expect metrics "metrics at http://$METRICS/metrics; press ctrl-c to stop"
# counts METRIC: waits until the example exports the metric, and more than 0 of it.
counts() {
  local deadline=$((SECONDS + 60)) series="^redisson_delayed_queue_$1\\{queue=\"example-metered\"\\} [1-9]"
  until curl --silent --fail "http://$METRICS/metrics" >"$output/scrape" && grep -qE -e "$series" "$output/scrape"; do
    [ $SECONDS -lt $deadline ] || fail "metrics: does not count $1"
    sleep 0.1
  done
}
counts lateness_seconds_count
counts failed_acknowledgements_total
# Whatever the dashboard and the alerts ask for is there.
grep -ohE 'redisson_delayed_queue_[a-z_]+' docs/monitoring/* | sort -u >"$output/queried"
[ "$(wc -l <"$output/queried")" -gt 15 ] || fail "metrics: the dashboard and the alerts ask for little"
while read -r metric; do
  grep -qE "^$metric\{" "$output/scrape" || fail "metrics: does not export $metric"
done <"$output/queried"
stop metrics INT

expect periodic "write the report on sales"
stop periodic INT

# What was taken or acknowledged is gone from Redis. A note of the clock stays for a while.
for queue in greetings example-parcels example-timeouts example-migration example-traced; do
  left=$(redis-cli -u "$REDIS_URL" KEYS "*$queue*" | grep -v "^rdq1_clock:" || true)
  if [ -n "$left" ]; then
    echo "left in Redis: $left" >&2
    exit 1
  fi
done
