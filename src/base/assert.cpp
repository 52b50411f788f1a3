// SPDX-License-Identifier: Apache-2.0
// Assertions: the last words of a process with a broken invariant.
#include "base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace convene {

void assertion_failed(const char* file, int line, const char* text) noexcept {
    // stderr is unbuffered and needs no logger, which may itself be what is broken.
    std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, text);
    std::abort();
}

}  // namespace convene
