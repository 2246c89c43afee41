#!/usr/bin/env bash
# A worker and a database in a network of their own, which is cut while the worker runs a flow; prints when the database let go of it, in
# milliseconds, and what the check says. usage: unshare --net cut_network.sh PROJECT PROGRAM FOLDER
set -euo pipefail
project=$1 program=$2 folder=$3
ip link set lo up
mkfifo "$folder/input"
"$project/Scripts/lib/postgresql" 5499 <"$folder/input" >"$folder/ready" &
database=$!
exec 8>"$folder/input"
until grep -q ready "$folder/ready"; do kill -0 $database; done
address=postgres://understudy@127.0.0.1:5499/postgres
# By the socket, which is not cut.
ask() { psql -XAtq -h "$(sed -n 's/.*host=//p' "$folder/ready")" -p 5499 -U understudy -d postgres -c "$1"; }
held() { ask "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'"; }
"$program" database migrate --database $address >/dev/null
"$program" worker --database $address --instance a >/dev/null 2>&1 &
worker=$!
"$program" check --remote 3 --database $address >"$folder/report" &
check=$!
until [ "$(held)" = 1 ]; do kill -0 $check; done
ip link set lo down
began=$(date +%s%3N)
until [ "$(held)" = 0 ]; do [ $(($(date +%s%3N) - began)) -lt 30000 ]; done
echo "let go after $(($(date +%s%3N) - began))"
ip link set lo up
wait $check
cat "$folder/report"
kill $worker
wait $worker
exec 8>&-
wait $database
