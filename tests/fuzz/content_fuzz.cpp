// SPDX-License-Identifier: Apache-2.0
// Content: whatever is let in can be stored, read, shown as text and cut for any channel.
#include "convene/content.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/assert.hpp"
#include "base/text_boundary.hpp"

namespace {

using namespace convene;

void check_shown(const content& what) {
    CONVENE_ASSERT(
        check_text(readable_text(what), "text", {.max_text_bytes = SIZE_MAX}),
        "a readable text is not text"
    );
    for (const content_type_set shown :
         {content_type_set{content_type::text},
          content_type_set{content_type::text, content_type::composite, content_type::edit},
          content_type_set::all()}) {
        const result<content> fitting = transcode(what, {shown, 5});
        CONVENE_ASSERT(
            fitting && shown.contains(fitting->type()), "a channel gets what it cannot show"
        );
        CONVENE_ASSERT(parse_content(fitting->json().str()), "transcoded content is not content");
    }
}

void check_fields(const content& what) {
    const bool has_target = what.target_event().has_value();
    const bool wants_target = what.type() == content_type::edit ||
                              what.type() == content_type::delete_;
    CONVENE_ASSERT(has_target == wants_target, "a target is missing or made up");
    CONVENE_ASSERT(
        what.type() != content_type::delete_ || what.delete_type(), "a right is missing"
    );
    CONVENE_ASSERT(
        what.type() != content_type::edit || what.new_content(), "a correction is missing"
    );
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text{data, data + size};
    if (const checked<content> let_in = parse_content(text)) {
        const result<content> stored = content::from_store(let_in->json().str());
        CONVENE_ASSERT(stored && *stored == *let_in, "stored content comes back changed");
        check_shown(*let_in);
        check_fields(*let_in);
    }
    // What another version stored may lack every field: it must still be readable.
    if (const result<content> foreign = content::from_store(text)) {
        static_cast<void>(readable_text(*foreign));
        static_cast<void>(transcode(*foreign, {content_type_set::all(), 3}));
    }
    const content said = content::text(text);
    CONVENE_ASSERT(parse_content(said.json().str()), "a factory made what is not content");
    const content called = content::tool_call(
        {.tool_name = text,
         .tool_id = text,
         .arguments = clean_json(text, {.max_json_depth = 30}).value,
         .error = text}
    );
    CONVENE_ASSERT(parse_content(called.json().str()), "a factory made what is not content");
    return 0;
}
