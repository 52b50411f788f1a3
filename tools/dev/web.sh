# SPDX-License-Identifier: Apache-2.0
# The web app: its tools, its build, its checks; and clients of others. Sourced from the root of the checkout.

# Debian 12 has a Node that is too old for the build; npm has newer ones as packages.
readonly node_version=20.20.2

node_is_new_enough() {
    command -v node >/dev/null && command -v npm >/dev/null &&
        node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)'
}

need_node() {
    node_is_new_enough && return
    local own=$PWD/build/node
    if [[ ! -x $own/node_modules/node/bin/node ]]; then
        command -v npm >/dev/null || need_debian_packages nodejs npm
        say "installing Node $node_version into build/node"
        mkdir -p "$own"
        npm install --silent --no-audit --no-fund --prefix "$own" "node@$node_version" "npm@11.6.2"
    fi
    PATH=$own/node_modules/node/bin:$own/node_modules/.bin:$PATH
    node_is_new_enough || fail "Node 20.19 or newer is needed to build web/"
}

# The packages of web/, exactly as locked; nothing to do costs nothing.
need_web_packages() {
    need_node
    local stamp=web/node_modules/.installed
    if [[ ! -e $stamp || web/package-lock.json -nt $stamp ]]; then
        (cd web && npm ci --silent --no-audit --no-fund)
        touch "$stamp"
    fi
}

# The published clients that tests/peers runs, exactly as locked.
need_peer_packages() {
    need_node
    local peer stamp
    for peer in tests/peers/*/package.json; do
        stamp=$(dirname "$peer")/node_modules/.installed
        if [[ ! -e $stamp || ${peer%.json}-lock.json -nt $stamp ]]; then
            (cd "$(dirname "$peer")" && npm ci --silent --no-audit --no-fund)
            touch "$stamp"
        fi
    done
}

# web/dist, anew when a source is newer.
build_web() {
    need_web_packages
    if [[ ! -e web/dist/index.html || -n $(find web -newer web/dist/index.html -type f \
        -not -path 'web/node_modules/*' -not -path 'web/dist/*' -not -path 'web/e2e/*' -print -quit) ]]; then
        (cd web && npm run --silent build)
    fi
}

# The server's document into web/openapi.json, and the types of the web app from it.
update_web_types() {
    CONVENE_UPDATE=1 python3 -B tests/served/test_serve.py "$1" Serve.test_the_web_app_knows_the_document
    need_web_packages
    (cd web && npm run --silent types)
}

# Types, layout, unit tests, weight: all that needs no server.
check_web() {
    need_web_packages
    (
        cd web
        npm run --silent types:check
        npm run --silent lint
        npm run --silent check
        npm run --silent test
        npm run --silent build
        npm run --silent budget
    )
}

# browse_web <program> [all | cluster]: the page in a real browser. `all`: in every theme, language and width; `cluster`:
# what a page must hold on several workers, on three of them on PostgreSQL behind nginx.
browse_web() {
    local program=$1 chosen=()
    need_debian_packages chromium
    case ${2:-} in
        all) export BROWSE_FORMS=all ;;
        cluster)
            need_debian_packages nginx-light
            export BROWSE_CLUSTER=1
            chosen=(-- --grep @workers)
            ;;
    esac
    build_web
    (cd web && CONVENE_BIN=$program CONVENE_WEB_DIR=$PWD/dist npm run --silent e2e "${chosen[@]}")
}
