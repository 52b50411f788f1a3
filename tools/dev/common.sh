# SPDX-License-Identifier: Apache-2.0
# What the developer scripts share: messages, packages, builds, test runs. Sourced from the root of the checkout.

# Checkouts in different folders share what was compiled: a path below this one is hashed as a relative path.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=true

say() { printf '%s\n' "$*" >&2; }

fail() {
    say "error: $*"
    exit 1
}

# Runs a command as root: directly, or through sudo.
as_root() {
    if ((EUID == 0)); then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        fail "this needs root, and there is no sudo: $*"
    fi
}

# Installs what tools/dev/packages.txt lists and dpkg does not know.
need_packages() {
    local wanted
    mapfile -t wanted < <(sed 's/#.*//; s/ //g; /^$/d' tools/dev/packages.txt)
    need_debian_packages "${wanted[@]}"
}

# Installs those of the packages that dpkg does not know. The package lists are fetched only then.
need_debian_packages() {
    command -v dpkg-query >/dev/null ||
        fail "not a Debian system: install what docs/dependencies.md names, then use cmake --preset"
    local missing
    mapfile -t missing < <(
        comm -23 <(printf '%s\n' "$@" | sort) \
            <(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null |
                sed -n 's/^ii  *//p' | sort)
    )
    ((${#missing[@]} > 0)) || return 0

    say "installing: ${missing[*]}"
    as_root apt-get -q -o DPkg::Lock::Timeout=120 update
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 \
        install --no-install-recommends "${missing[@]}"
}

# configure_and_build <preset> [arguments of cmake --build]; DEFINE may hold a -D option that
# replaces one of the preset's. Configuring is quiet unless it fails. Two runs of one preset take turns.
configure_and_build() {
    local preset=$1 log
    shift
    mkdir -p "build/$preset"
    log=build/$preset/configure.log
    (
        flock 9
        if ! cmake --preset "$preset" ${DEFINE:+"$DEFINE"} >"$log" 2>&1; then
            cat "$log" >&2
            fail "cmake --preset $preset failed"
        fi
        cmake --build --preset "$preset" "$@"
    ) 9>"build/$preset/.lock"
}

# run_tests <test preset> <JUnit report to write> [arguments of ctest]
run_tests() {
    local preset=$1 report=$2
    shift 2
    mkdir -p "$(dirname "$report")"
    ctest --preset "$preset" --output-junit "$PWD/$report" "$@"
}

# All C++ files of ours, separated by NUL.
cpp_files() {
    find include src tests bench examples \( -name '*.hpp' -o -name '*.cpp' \) -type f -print0
}
