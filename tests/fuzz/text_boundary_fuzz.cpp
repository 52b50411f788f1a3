// SPDX-License-Identifier: Apache-2.0
// The text boundary: refusing and repairing agree about what is clean, and repairs always end
// clean.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/assert.hpp"
#include "base/text_boundary.hpp"

namespace {

using namespace convene;

void check_repair_of_text(const std::string& text) {
    const cleaned_text cleaned = clean_text(text);
    CONVENE_ASSERT(check_text(cleaned.text, "text"), "cleaned text is not clean");
    const bool was_clean = check_text(text, "text").has_value();
    CONVENE_ASSERT(was_clean == cleaned.repairs.empty(), "a repair is made up or missing");
    CONVENE_ASSERT(was_clean == (cleaned.text == text), "clean text was changed");
}

void check_cut(const std::string& text) {
    constexpr std::size_t limit = 7;
    const cleaned_text cut = clean_text(text, {.max_text_bytes = limit});
    CONVENE_ASSERT(cut.text.size() <= limit, "a limit was passed");
    CONVENE_ASSERT(check_text(cut.text, "text"), "a cut left half a character");
}

void check_repair_of_json(const std::string& text) {
    const cleaned_json cleaned = clean_json(text);
    const checked<json_text> parsed = parse_json(text, "json");
    CONVENE_ASSERT(parsed.has_value() == cleaned.repairs.empty(), "a repair is made up or missing");
    CONVENE_ASSERT(!parsed || *parsed == cleaned.value, "clean JSON was changed");
    CONVENE_ASSERT(parse_json(cleaned.value.str(), "json"), "cleaned JSON is not clean");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text{data, data + size};
    check_repair_of_text(text);
    check_cut(text);
    check_repair_of_json(text);
    if (check_id(text, "id")) {
        CONVENE_ASSERT(check_text(text, "id"), "an id is not text");
    }
    return 0;
}
