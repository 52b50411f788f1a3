#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What CI runs: every stage in order, stopping at the first that fails. `./dev test --ci` is the way in.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tools/dev/common.sh
source tools/dev/web.sh

# A check in the browser that others disturbed has a second try, on a server of its own.
export CI=1

logs=build/ci
rm -rf "$logs"
mkdir -p "$logs"

# stage <name> <command>...: a heading, the command with its output, the seconds it took.
stage() {
    local name=$1 started=$SECONDS status=0
    shift
    printf '\n=== %s (at %d s)\n' "$name" "$SECONDS"
    # Not `if "$@"`: that would switch off errexit inside the stage.
    set +e
    (
        set -e
        "$@"
    ) 2>&1 | tee "$logs/${name// /-}.log"
    status=${PIPESTATUS[0]}
    set -e
    printf '=== %s: %s in %d s\n' "$name" "$([[ $status == 0 ]] && echo passed || echo FAILED)" $((SECONDS - started))
    if ((status != 0)); then
        summary
        exit 1
    fi
}

# The closing line of ctest for all its runs together. A failed stage without a failed test counts as one.
summary() {
    local passed_runs total failed
    passed_runs=$(cat "$logs"/*.log | sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+)$/\1 \2/p')
    failed=$(awk '{ n += $1 } END { print n + 0 }' <<<"$passed_runs")
    total=$(awk '{ n += $2 } END { print n + 0 }' <<<"$passed_runs")
    if ((${1:-1} != 0 && failed == 0)); then
        failed=1 total=$((total + 1))
    fi
    printf '\n%d%% tests passed, %d tests failed out of %d\n' \
        $((total == 0 ? 0 : 100 * (total - failed) / total)) "$failed" "$total"
}

packages() { ./dev deps; }

hygiene() { ./dev lint; }

# Every test once, under AddressSanitizer and UndefinedBehaviorSanitizer, with the deliberate defects compiled in:
# the simulation has to find each of them. Then the contract: what the version claims must be proven by this very run.
sanitized() {
    configure_and_build asan
    rm -rf build/asan/reports/cases
    run_tests asan build/asan/reports/tests.xml
    python3 tools/contract.py build/asan/reports/tests.xml build/asan/reports/cases/*.xml
}

# What is shipped, without sanitizers and with warnings as errors: the libraries and the program, every header alone,
# 2,000 simulated seeds, and consumers of the installed package.
plain() {
    DEFINE=-DCONVENE_SIM_SEEDS=2000 configure_and_build dev --target plain
    run_tests plain build/dev/reports/plain.xml
    run_tests package build/dev/reports/package.xml
}

peers() {
    need_peer_packages
    run_tests peers build/dev/reports/peers.xml
}

thread_sanitizer() {
    configure_and_build tsan
    run_tests tsan build/tsan/reports/tests.xml
}

# Each parser that reads what strangers send, for 20 seconds.
fuzz() {
    DEFINE=-DCONVENE_FUZZ_SECONDS=20 configure_and_build fuzz
    run_tests fuzz build/fuzz/reports/tests.xml
}

tidy() { ./dev tidy --within 300; }

web() {
    check_web
    browse_web "$PWD/build/dev/bin/convene"
    (browse_web "$PWD/build/dev/bin/convene" cluster)
}

stage "packages" packages
stage "hygiene" hygiene
stage "tests under sanitizers" sanitized
stage "plain build and package" plain
stage "clients of others" peers
stage "thread sanitizer" thread_sanitizer
stage "fuzz" fuzz
stage "tidy" tidy
stage "web" web

printf '\n=== all stages passed in %d s\n' "$SECONDS"
summary 0
