#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Imports the sample into a database under var/, sends a message and follows its room. `./dev up` is the way in.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

convene=${CONVENE_BIN:?run this through ./dev up}
# The program refuses variables with its prefix that are no settings of it.
unset CONVENE_BIN

mkdir -p var
db=sqlite:///var/up.db
delivered=var/delivered.jsonl
message=${*:-"The sample is imported, and this message came after it."}

"$convene" --db "$db" import share/sample/dialogues.jsonl --deliver-to "file:$delivered"
"$convene" --db "$db" send support-42 "$message"

cat <<NEXT

Every message was also delivered to $delivered. Try next, in another terminal:

    alias convene="$convene --db sqlite:///$PWD/var/up.db"
    convene send support-42 "Hello from the other terminal"
    convene rooms
    convene export --room support-42
    convene doctor

NEXT

if [[ -t 0 && -t 1 ]]; then
    echo "Following support-42; Ctrl-C ends it."
    exec "$convene" --db "$db" tail support-42 --after -1 --follow
fi
exec "$convene" --db "$db" tail support-42 --after -1
