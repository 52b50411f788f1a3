// SPDX-License-Identifier: Apache-2.0
// Requests from bytes: whole or byte by byte they are the same, within the limits, and nothing is left to guess.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/assert.hpp"
#include "net/http_request_parser.hpp"

namespace {

using namespace convene;

using state = http_request_parser::state;

const http_limits limits = [] {
    http_limits small;
    small.head_bytes = 512;
    small.header_lines = 8;
    small.body_bytes = 256;
    return small;
}();

struct outcome {
    state where = state::head;
    std::optional<http_request> request;
    std::optional<http_refusal> refusal;
    std::size_t taken = 0;
};

outcome read_in_steps(std::string_view bytes, std::size_t step) {
    http_request_parser parser{limits};
    outcome seen;
    std::size_t given = 0;
    while (given < bytes.size() && parser.where() != state::complete &&
           parser.where() != state::refused) {
        given = std::min(given + step, bytes.size());
        const std::string_view waiting = bytes.substr(seen.taken, given - seen.taken);
        const std::size_t taken = parser.feed(waiting);
        CONVENE_ASSERT(taken <= waiting.size(), "more was taken than there was");
        seen.taken += taken;
        CONVENE_ASSERT(parser.body_received() <= limits.body_bytes, "the body is above its limit");
    }
    seen.where = parser.where();
    if (seen.where == http_request_parser::state::refused) {
        seen.refusal = parser.refusal();
    }
    if (seen.where == state::complete) {
        seen.request = parser.take();
    }
    return seen;
}

void check_request(const http_request& request) {
    CONVENE_ASSERT(request.path.starts_with('/') || request.path == "*", "a target is not a path");
    CONVENE_ASSERT(request.headers.all().size() <= limits.header_lines, "too many header lines");
    std::size_t lengths = 0;
    for (const auto& [name, value] : request.headers.all()) {
        lengths += name == "content-length" || name == "transfer-encoding" ? 1 : 0;
        for (const char c : value) {
            CONVENE_ASSERT(c != '\r' && c != '\n' && c != '\0', "a header has a line end");
        }
    }
    CONVENE_ASSERT(lengths <= 1, "the length is told twice");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes{data, data + size};
    const outcome whole = read_in_steps(bytes, bytes.size());
    const outcome piecewise = read_in_steps(bytes, 1);
    if (whole.request) {
        check_request(*whole.request);
        // What waits to become whole is bounded: a chunk's line, or the trailers. In one piece nothing waits.
        const bool waited_too_long = piecewise.refusal == http_refusal::head_too_large;
        if (waited_too_long) {
            return 0;
        }
        CONVENE_ASSERT(piecewise.request.has_value(), "a request in pieces is none");
        CONVENE_ASSERT(whole.taken == piecewise.taken, "the end depends on the pieces");
        CONVENE_ASSERT(
            whole.request->body == piecewise.request->body &&
                whole.request->headers.all() == piecewise.request->headers.all(),
            "a request in pieces is another one"
        );
    } else {
        CONVENE_ASSERT(!piecewise.request, "a request is one only in pieces");
    }
    return 0;
}
