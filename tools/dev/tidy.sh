#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy on the files that changed since the main branch, or with --all on every file. `--within SECONDS` stops
# when the time is up and says what is left: for CI, where a change of half the tree must not take an hour.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tools/dev/common.sh

within=0
if [[ ${1:-} == --within ]]; then
    within=$2
    shift 2
fi

# The commit to compare with: where this branch left the main branch, else the commit before this one. Nothing
# when there is no such commit.
base_commit() {
    local head main
    head=$(git rev-parse -q --verify HEAD 2>/dev/null) || return 0
    for main in "${CONVENE_TIDY_BASE:-}" origin/main; do
        main=$(git rev-parse -q --verify "$main^{commit}") || continue
        if [[ $main != "$head" ]]; then
            git merge-base "$main" "$head" && return
        fi
    done
    git rev-parse -q --verify "$head^" || true
}

files_to_check() {
    local base
    base=$(base_commit)
    if [[ ${1:-} == --all ]]; then
        cpp_files | tr '\0' '\n'
    elif [[ -z $base ]]; then
        # A clone without history has nothing to compare with; --all looks at every file.
        return 0
    else
        git diff --name-only --diff-filter=d "$base" -- '*.cpp' '*.hpp'
        git ls-files --others --exclude-standard -- '*.cpp' '*.hpp'
    fi
}

mkdir -p build/tidy
cmake --preset tidy >build/tidy/configure.log 2>&1 || {
    cat build/tidy/configure.log >&2
    fail "cmake --preset tidy failed"
}

# own_source <header as it is included>: the source that includes it before anything else, if there is one.
own_source() {
    local source first
    while IFS= read -r source; do
        first=$(grep -m1 '^#include' "$source")
        if [[ $first == "#include \"$1\"" ]]; then
            echo "$source"
            return
        fi
    done < <(grep -rlxF "#include \"$1\"" --include='*.cpp' src)
}

# A changed header is looked at through its own source, or the unit that includes it alone.
declare -A units=()
while IFS= read -r file; do
    case $file in
        *.cpp) unit=$PWD/$file ;;
        *)
            name=${file#include/}
            name=${name#src/}
            unit=$PWD/$(own_source "$name")
            [[ -f $unit ]] || unit=$PWD/build/tidy/headers_alone/$(tr -c 'A-Za-z0-9_\n' '_' <<<"$name").cpp
            ;;
    esac
    # Only what the build knows: a test double's header, for one, has no unit of its own.
    if grep -qF "\"$unit\"" build/tidy/compile_commands.json; then
        units[$unit]=1
    fi
done < <(files_to_check "$@")

if ((${#units[@]} == 0)); then
    say "tidy: no C++ file changed"
    exit 0
fi
say "tidy: ${#units[@]} files"
left=build/tidy/left
: >"$left"
export TIDY_END=$((within > 0 ? $(date +%s) + within : 0))
# shellcheck disable=SC2016 # the inner shell expands it
printf '%s\0' "${!units[@]}" | xargs -0 -n 1 -P 2 bash -c '
    if ((TIDY_END > 0 && $(date +%s) >= TIDY_END)); then
        echo "$1" >>build/tidy/left
        exit 0
    fi
    exec clang-tidy-19 --quiet -p build/tidy "$1"
' tidy 2> >(grep -v 'warnings generated' >&2)
if [[ -s $left ]]; then
    say "tidy: $within s were not enough: $(wc -l <"$left") of ${#units[@]} files were not looked at (build/tidy/left)"
fi
