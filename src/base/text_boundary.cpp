// SPDX-License-Identifier: Apache-2.0
// The text boundary: checking, cleaning, and the way into the JSON gate.
#include "base/text_boundary.hpp"

#include <optional>
#include <utility>

#include "base/json_scanner.hpp"
#include "base/json_writer.hpp"
#include "base/utf8.hpp"

namespace convene {

namespace {

/// Why text cannot begin as this one does, which is neither empty nor clean at its start.
boundary_reason fault_at_start(std::string_view text) {
    switch (read_utf8(text).fault) {
        case utf8_fault::malformed:
            return boundary_reason::invalid_utf8;
        case utf8_fault::surrogate:
            return boundary_reason::lone_surrogate;
        case utf8_fault::none:
            break;
    }
    return boundary_reason::nul_character;
}

bool is_control(char32_t code_point) {
    return code_point < 0x20 || (code_point >= 0x7F && code_point <= 0x9F);
}

/// *Requires*: text without faults.
bool has_control(std::string_view text) {
    while (!text.empty()) {
        const utf8_step step = read_utf8(text);
        if (is_control(step.code_point)) {
            return true;
        }
        text.remove_prefix(step.length);
    }
    return false;
}

std::optional<boundary_reason> fault_of_text(std::string_view text, std::size_t max_bytes) {
    if (text.size() > max_bytes) {
        return boundary_reason::too_long;
    }
    const std::string_view rest = text.substr(clean_length(text));
    if (!rest.empty()) {
        return fault_at_start(rest);
    }
    return std::nullopt;
}

std::optional<boundary_reason> fault_of_id(std::string_view id, std::size_t max_bytes) {
    if (id.empty()) {
        return boundary_reason::empty;
    }
    if (const auto fault = fault_of_text(id, max_bytes)) {
        return fault;
    }
    if (has_control(id)) {
        return boundary_reason::control_character;
    }
    return std::nullopt;
}

checked<> answer(std::optional<boundary_reason> fault, std::string_view field) {
    if (fault) {
        return boundary_error{std::string{field}, *fault};
    }
    return {};
}

void count(repair_record& repairs, boundary_reason fault) {
    if (fault == boundary_reason::invalid_utf8) {
        ++repairs.invalid_utf8;
    } else if (fault == boundary_reason::lone_surrogate) {
        ++repairs.lone_surrogates;
    } else {
        ++repairs.nul_characters;
    }
}

}  // namespace

checked<> check_text(std::string_view text, std::string_view field, const boundary_limits& limits) {
    return answer(fault_of_text(text, limits.max_text_bytes), field);
}

checked<> check_id(std::string_view id, std::string_view field, const boundary_limits& limits) {
    return answer(fault_of_id(id, limits.max_id_bytes), field);
}

cleaned_text clean_text(std::string_view text, const boundary_limits& limits) {
    constexpr std::string_view replacement = "\uFFFD";
    cleaned_text cleaned;
    while (!text.empty()) {
        const std::size_t room = limits.max_text_bytes - cleaned.text.size();
        const std::string_view clean = text.substr(0, clean_length(text));
        const std::string_view piece = clean.empty() ? replacement : utf8_prefix(clean, room);
        if (piece.empty() || piece.size() > room) {
            cleaned.repairs.dropped_bytes = text.size();
            break;
        }
        cleaned.text += piece;
        if (clean.empty()) {
            count(cleaned.repairs, fault_at_start(text));
            text.remove_prefix(read_utf8(text).length);
        } else {
            text.remove_prefix(piece.size());
        }
    }
    return cleaned;
}

checked<json_text> parse_json(
    std::string_view text, std::string_view field, const boundary_limits& limits
) {
    checked<scanned_json> scanned = scan_json(text, field, limits, text_policy::reject);
    if (!scanned) {
        return scanned.error();
    }
    return json_text::trusted(std::move(scanned->canonical));
}

checked<json_text> parse_json_object(
    std::string_view text, std::string_view field, const boundary_limits& limits
) {
    checked<json_text> parsed = parse_json(text, field, limits);
    if (parsed && !parsed->str().starts_with('{')) {
        return boundary_error{std::string{field}, boundary_reason::wrong_type};
    }
    return parsed;
}

cleaned_json clean_json(std::string_view text, const boundary_limits& limits) {
    checked<scanned_json> scanned = scan_json(text, {}, limits, text_policy::replace);
    if (scanned) {
        return {json_text::trusted(std::move(scanned->canonical)), scanned->repairs};
    }
    cleaned_text cleaned = clean_text(text, limits);
    cleaned.repairs.kept_as_text = scanned.error().reason;
    return {json_writer{}.string(cleaned.text).take(), cleaned.repairs};
}

json_text describe_repairs(const repair_record& repairs) {
    json_writer out;
    out.begin_object();
    const auto write_count = [&](std::string_view key, std::uint64_t number) {
        if (number != 0) {
            out.key(key).integer(static_cast<std::int64_t>(number));
        }
    };
    write_count("invalid_utf8", repairs.invalid_utf8);
    write_count("lone_surrogates", repairs.lone_surrogates);
    write_count("nul_characters", repairs.nul_characters);
    write_count("dropped_bytes", repairs.dropped_bytes);
    if (repairs.kept_as_text) {
        out.key("kept_as_text").string(word_of(*repairs.kept_as_text));
    }
    out.end_object();
    return out.take();
}

}  // namespace convene
