# SPDX-License-Identifier: Apache-2.0
# The long form of the tests of clusters. Sourced by dev.

# chaos_tests <path of convene> <seconds>: every file once, each to its end; the storm lasts so many seconds.
chaos_tests() {
    local program=$1 failed=() skipped=() file name status
    export CONVENE_CHAOS_SECONDS=$2
    export CONVENE_CHAOS_SEED=${CONVENE_CHAOS_SEED:-$RANDOM}
    export CONVENE_CHAOS_KEEP=${CONVENE_CHAOS_KEEP:-$PWD/build/chaos}
    mkdir -p "$CONVENE_CHAOS_KEEP"
    say "seed $CONVENE_CHAOS_SEED; logs of what fails go to $CONVENE_CHAOS_KEEP"
    for file in tests/chaos/test_*.py; do
        name=$(basename "$file" .py)
        say "=== ${name#test_}"
        status=0
        python3 -B "$file" "$program" || status=$?
        case $status in
            0) ;;
            77) skipped+=("${name#test_}") ;; # says itself what it lacks
            *) failed+=("${name#test_}") ;;
        esac
    done
    ((${#failed[@]} == 0)) ||
        fail "failed: ${failed[*]}; repeat with CONVENE_CHAOS_SEED=$CONVENE_CHAOS_SEED ./dev chaos $CONVENE_CHAOS_SECONDS"
    ((${#skipped[@]} == 0)) || say "NOT RUN here: ${skipped[*]}"
    say "everything that was run held"
}
