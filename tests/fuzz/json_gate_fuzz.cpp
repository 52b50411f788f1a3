// SPDX-License-Identifier: Apache-2.0
// The JSON gate against Boost.JSON: what passes is JSON, means the same, and passes again
// unchanged.
#include <boost/json/parse.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.hpp"
#include "base/canonical_json.hpp"
#include "base/json_scanner.hpp"

namespace {

using namespace convene;

checked<scanned_json> scan(std::string_view text, text_policy policy) {
    return scan_json(text, "field", {}, policy);
}

boost::json::value by_boost(std::string_view text, error_code& error) {
    boost::json::parse_options options;
    options.max_depth = 64;
    return boost::json::parse({text.data(), text.size()}, error, {}, options);
}

void check_same_meaning(std::string_view text, const std::string& canonical) {
    error_code refused;
    const boost::json::value before = by_boost(text, refused);
    CONVENE_ASSERT(!refused, "the gate let through what Boost.JSON refuses");
    const boost::json::value after = by_boost(canonical, refused);
    CONVENE_ASSERT(!refused && before == after, "the canonical text means something else");
}

void check_stable(const std::string& canonical) {
    const checked<scanned_json> again = scan(canonical, text_policy::reject);
    CONVENE_ASSERT(again && again->canonical == canonical, "canonical text is not canonical");
    for (const json_member& member : members_of(canonical)) {
        CONVENE_ASSERT(scan(member.value, text_policy::reject), "a member is not a value");
    }
    for (const std::string_view element : elements_of(canonical)) {
        CONVENE_ASSERT(scan(element, text_policy::reject), "an element is not a value");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text{data, data + size};
    if (const auto strict = scan(text, text_policy::reject)) {
        check_same_meaning(text, strict->canonical);
        check_stable(strict->canonical);
        const auto repaired = scan(text, text_policy::replace);
        CONVENE_ASSERT(
            repaired && repaired->canonical == strict->canonical, "clean JSON was changed"
        );
        CONVENE_ASSERT(repaired->repairs.empty(), "clean JSON was repaired");
    } else if (const auto repaired = scan(text, text_policy::replace)) {
        CONVENE_ASSERT(!repaired->repairs.empty(), "a repair was not recorded");
        check_stable(repaired->canonical);
    }
    return 0;
}
