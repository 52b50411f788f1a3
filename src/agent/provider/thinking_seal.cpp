// SPDX-License-Identifier: Apache-2.0
// A text and its seal, or what is hidden, in an array. A signature is base64 and never begins with a bracket.
#include "agent/provider/thinking_seal.hpp"

#include "base/canonical_json.hpp"
#include "base/json_writer.hpp"
#include "base/text_boundary.hpp"

namespace convene {

namespace {

constexpr boundary_limits limits_of_seals{.max_text_bytes = 4U << 20U, .max_json_bytes = 8U << 20U};

std::string cleaned(const std::string& text) { return clean_text(text, limits_of_seals).text; }

}  // namespace

std::string seal_of(const std::vector<thinking_block>& blocks) {
    if (blocks.size() == 1 && !blocks.front().is_hidden) {
        return cleaned(blocks.front().seal);
    }
    json_writer out;
    out.begin_array();
    bool is_sealed = false;
    for (const thinking_block& block : blocks) {
        is_sealed = is_sealed || !block.seal.empty();
        out.begin_object();
        if (block.is_hidden) {
            out.key("hidden").string(cleaned(block.seal));
        } else {
            out.key("text").string(cleaned(block.text)).key("seal").string(cleaned(block.seal));
        }
        out.end_object();
    }
    out.end_array();
    const json_text written = out.take();
    return is_sealed ? written.str() : std::string{};
}

std::vector<thinking_block> thinking_of(const chat_message& message) {
    const std::string& seal = message.thinking_signature;
    if (seal.empty()) {
        return {};
    }
    if (!seal.starts_with('[')) {
        return {{message.thinking, seal}};
    }
    std::vector<thinking_block> blocks;
    const auto stored = parse_json(seal, "thinking_signature", limits_of_seals);
    if (!stored) {
        return blocks;
    }
    for (const std::string_view one : elements_of(stored->str())) {
        if (const auto hidden = find_text(one, "hidden")) {
            blocks.push_back({{}, *hidden, true});
        } else {
            thinking_block shown{
                find_text(one, "text").value_or(""), find_text(one, "seal").value_or("")
            };
            if (!shown.seal.empty()) {
                blocks.push_back(std::move(shown));
            }
        }
    }
    return blocks;
}

}  // namespace convene
