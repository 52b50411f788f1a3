#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A server on a database under var/, with the sample in it, a link to log in and a token. `./dev up` is the way in.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

convene=${CONVENE_BIN:?run this through ./dev up}
# The program refuses variables with its prefix that are no settings of it.
unset CONVENE_BIN

mkdir -p var
db=sqlite:///var/up.db
port=${PORT:-8080}

# The sample goes in once; a second import changes nothing.
"$convene" --db "$db" --organization default import share/sample/dialogues.jsonl

# A token for this run: the next run has another.
token=cvt_$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')

cat <<NEXT

A token for this run, for curl, programs and the commands:

    export CONVENE_TOKEN=$token
    export CONVENE_URL=http://127.0.0.1:$port
    $convene rooms
    curl -s -H "Authorization: Bearer \$CONVENE_TOKEN" http://127.0.0.1:$port/api/v1/rooms

Ctrl-C ends the server; everything stays in var/up.db.

NEXT
export BOOTSTRAP_TOKEN=$token
# For trials: the walk of docs/workflows.md pulls a skill from a repository of this machine.
export SKILLS_LOCAL_REPOSITORIES=true
exec "$convene" --db "$db" --port "$port" --web-dir web/dist serve
