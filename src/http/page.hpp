// SPDX-License-Identifier: Apache-2.0
// Lists in pages: `limit`, `cursor`, and the `next_cursor` of the answer.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/json_writer.hpp"
#include "http/cursor.hpp"
#include "http/route.hpp"

namespace convene {

/// `{NAME: [...], next_cursor}`.
[[nodiscard]] inline schema page_schema(
    std::string component, std::string name, const schema& element
) {
    return schema::object(
        std::move(component),
        {required(std::move(name), schema::list(element)),
         required("next_cursor", schema::text().or_null(), "`null` at the end")}
    );
}

[[nodiscard]] inline std::vector<parameter> page_parameters() {
    return {
        query_parameter("limit", schema::integer({1, 200}), "At most", "50"),
        query_parameter("cursor", schema::text({1, 1024}), "`next_cursor` of the page before"),
    };
}

/// How many are shown; one more is read, to know whether there is a next page.
[[nodiscard]] inline std::size_t page_limit(const route_call& call) {
    return static_cast<std::size_t>(call.integer("limit").value_or(50));
}

/// Where the page begins, as the cursor says; empty: at the start. *Errors*: 422.
[[nodiscard]] inline or_problem<std::string> page_position(const route_call& call) {
    const std::optional<std::string> cursor = call.text("cursor");
    if (!cursor) {
        return std::string{};
    }
    std::optional<std::string> position = decode_cursor(*cursor);
    if (!position) {
        return validation_problem("cursor", boundary_reason::malformed);
    }
    return *std::move(position);
}

/// The same of a list whose pages begin at numbers.
[[nodiscard]] inline or_problem<std::optional<std::int64_t>> page_number(const route_call& call) {
    const or_problem<std::string> position = page_position(call);
    if (!position) {
        return position.error();
    }
    if (position->empty()) {
        return std::optional<std::int64_t>{};
    }
    std::int64_t number = 0;
    const char* const end = position->data() + position->size();
    const auto [stop, failure] = std::from_chars(position->data(), end, number);
    if (failure != std::errc{} || stop != end) {
        return validation_problem("cursor", boundary_reason::malformed);
    }
    return std::optional{number};
}

/// `position` of the last one shown is where the next page begins.
template <class T, class Write, class Position>
[[nodiscard]] handled page_answer(
    std::string_view name,
    const std::vector<T>& found,
    std::size_t limit,
    Write write,
    Position position
) {
    json_writer out;
    out.begin_object().key(name).begin_array();
    for (std::size_t i = 0; i < found.size() && i < limit; ++i) {
        write(out, found[i]);
    }
    out.end_array().key("next_cursor");
    if (found.size() > limit) {
        out.string(encode_cursor(position(found[limit - 1])));
    } else {
        out.null();
    }
    out.end_object();
    return json_answer(200, out.take());
}

}  // namespace convene
