// SPDX-License-Identifier: Apache-2.0
// The JSON gate: one pass over a document, with its own stack.
#include "base/json_scanner.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/field_path.hpp"
#include "base/json_writer.hpp"
#include "base/utf8.hpp"

namespace convene {

namespace {

// Numbers keep their spelling, so that is bounded too: every store of ours, `numeric` of PostgreSQL
// included, takes what is within these bounds, and no reader makes infinity times zero of it.
constexpr std::size_t max_number_bytes = 128;
constexpr int min_exponent = -324;  // the smallest double is 4.9e-324
constexpr int max_exponent = 308;   // the largest is 1.8e308

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t count_digits(std::string_view text) {
    const auto end = std::ranges::find_if_not(text, is_digit);
    return static_cast<std::size_t>(end - text.begin());
}

/// A number, delimited by the grammar of RFC 8259.
struct number_shape {
    std::size_t length = 0;       ///< 0: this is no number
    std::string_view exponent{};  ///< without its `e`; empty if there is none
};

number_shape measure_number(std::string_view text) {
    std::size_t at = text.starts_with('-') ? 1 : 0;
    const std::size_t whole = count_digits(text.substr(at));
    if (whole == 0) {
        return {};
    }
    // A leading zero is the whole part by itself; digits after it make the document fail at the
    // next step.
    at += text[at] == '0' ? 1 : whole;
    if (text.substr(at).starts_with('.')) {
        const std::size_t fraction = count_digits(text.substr(at + 1));
        if (fraction == 0) {
            return {};
        }
        at += 1 + fraction;
    }
    if (at == text.size() || (text[at] != 'e' && text[at] != 'E')) {
        return {at, {}};
    }
    const std::string_view exponent = text.substr(at + 1);
    const std::size_t sign = exponent.starts_with('+') || exponent.starts_with('-') ? 1 : 0;
    const std::size_t digits = count_digits(exponent.substr(sign));
    if (digits == 0) {
        return {};
    }
    return {at + 1 + sign + digits, exponent.substr(0, sign + digits)};
}

bool is_moderate(std::string_view exponent) {
    if (exponent.empty()) {
        return true;
    }
    if (exponent.front() == '+') {
        exponent.remove_prefix(1);
    }
    int value = 0;
    const auto parsed = std::from_chars(exponent.data(), exponent.data() + exponent.size(), value);
    return parsed.ec == std::errc{} && value >= min_exponent && value <= max_exponent;
}

/// Whether a double can hold the magnitude: neither infinity nor, unless it is zero, nothing.
bool fits_a_double(std::string_view number) {
    double value = 0;
    return std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc{};
}

bool is_high_surrogate(char32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }

bool is_low_surrogate(char32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

/// The UTF-16 unit of the escape `\uXXXX` at the start of `text`.
std::optional<char32_t> unit_of_escape(std::string_view text) {
    if (text.size() < 6 || !text.starts_with("\\u")) {
        return std::nullopt;
    }
    std::uint32_t unit = 0;
    const char* const end = text.data() + 6;
    if (std::from_chars(text.data() + 2, end, unit, 16).ptr != end) {
        return std::nullopt;
    }
    return unit;
}

/// Every step returns whether it succeeded; the first failure sets `reason_` and ends the scan.
class scanner {
   public:
    scanner(
        std::string_view text,
        std::string_view field,
        const boundary_limits& limits,
        text_policy policy
    )
        : rest_(text), field_(field), limits_(limits), policy_(policy) {}

    checked<scanned_json> scan() {
        if (!document()) {
            return boundary_error{path(), reason_};
        }
        return scanned_json{std::move(out_), repairs_};
    }

   private:
    enum class container : std::uint8_t { array, object };

    /// An array or object that is open around the current position.
    struct frame {
        container kind;
        std::size_t first_key;       ///< where its keys begin in `keys_`
        std::size_t size = 0;        ///< members or elements begun
        bool inside_member = false;  ///< the position is in the value of the last one
    };

    /// A piece of `out_`.
    struct slice {
        std::size_t start;
        std::size_t length;
    };

    bool document() {
        if (rest_.size() > limits_.max_json_bytes) {
            return fail(boundary_reason::too_long);
        }
        out_.reserve(rest_.size());
        if (!value()) {
            return false;
        }
        while (!open_.empty()) {
            if (!continue_container()) {
                return false;
            }
        }
        skip_space();
        return rest_.empty() || fail(boundary_reason::not_json);
    }

    /// Reads a scalar, or the opening of a container, whose content `continue_container` then
    /// reads.
    bool value() {
        skip_space();
        if (++values_ > limits_.max_json_values) {
            return fail(boundary_reason::too_many);
        }
        switch (front()) {
            case '{':
                return begin(container::object);
            case '[':
                return begin(container::array);
            case '"':
                return string() && end_of_value();
            case 't':
                return literal("true") && end_of_value();
            case 'f':
                return literal("false") && end_of_value();
            case 'n':
                return literal("null") && end_of_value();
            default:
                return number() && end_of_value();
        }
    }

    bool begin(container kind) {
        if (open_.size() == limits_.max_json_depth) {
            return fail(boundary_reason::too_deep);
        }
        copy(1);
        open_.push_back({kind, keys_.size()});
        return true;
    }

    /// Reads the next member or element of the innermost container, or its end.
    bool continue_container() {
        skip_space();
        frame& top = open_.back();
        if (front() == (top.kind == container::object ? '}' : ']')) {
            return end();
        }
        if (top.size > 0 && !copy_if(',')) {
            return fail(boundary_reason::not_json);
        }
        ++top.size;
        if (top.kind == container::object && !key()) {
            return false;
        }
        top.inside_member = true;
        return value();
    }

    bool end() {
        const frame top = open_.back();
        if (top.kind == container::object && !keys_are_unique()) {
            return fail(boundary_reason::duplicate_key);
        }
        copy(1);
        keys_.resize(top.first_key);
        open_.pop_back();
        return end_of_value();
    }

    bool end_of_value() {
        if (!open_.empty()) {
            open_.back().inside_member = false;
        }
        return true;
    }

    bool key() {
        skip_space();
        if (open_.back().size > limits_.max_object_keys) {
            return fail(boundary_reason::too_many);
        }
        if (front() != '"') {
            return fail(boundary_reason::not_json);
        }
        const std::size_t start = out_.size() + 1;
        if (!string()) {
            return false;
        }
        keys_.push_back({start, out_.size() - 1 - start});
        skip_space();
        return copy_if(':') || fail(boundary_reason::not_json);
    }

    /// Sorts instead of hashing: no choice of keys makes it slow. The order is free to change, for
    /// the object ends here. A duplicate becomes the current member, so that the error names it.
    bool keys_are_unique() {
        const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(open_.back().first_key);
        const auto spelling = [this](slice key) { return spelling_of(key); };
        std::ranges::sort(begin, keys_.end(), {}, spelling);
        const auto twin = std::ranges::adjacent_find(begin, keys_.end(), {}, spelling);
        if (twin == keys_.end()) {
            return true;
        }
        std::iter_swap(twin, keys_.end() - 1);
        open_.back().inside_member = true;
        return false;
    }

    bool string() {
        copy(1);
        for (;;) {
            copy(verbatim_length(rest_));
            if (copy_if('"')) {
                return true;
            }
            if (rest_.empty()) {
                return fail(boundary_reason::not_json);
            }
            const bool understood = front() == '\\' ? escape() : unusual_character();
            if (!understood) {
                return false;
            }
        }
    }

    /// A control character, which JSON wants escaped, or a sequence that is not UTF-8.
    bool unusual_character() {
        const utf8_step step = read_utf8(rest_);
        if (step.fault == utf8_fault::malformed) {
            return replace(step.length, boundary_reason::invalid_utf8, repairs_.invalid_utf8);
        }
        if (step.fault == utf8_fault::surrogate) {
            return replace(step.length, boundary_reason::lone_surrogate, repairs_.lone_surrogates);
        }
        if (step.code_point == 0) {
            return replace(step.length, boundary_reason::nul_character, repairs_.nul_characters);
        }
        return fail(boundary_reason::not_json);
    }

    bool escape() {
        constexpr std::string_view letters = "\"\\/bfnrt";
        constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
        const char letter = rest_.size() > 1 ? rest_[1] : '\0';
        if (letter == 'u') {
            return unicode_escape();
        }
        const std::size_t which = letters.find(letter);
        if (which == std::string_view::npos) {
            return fail(boundary_reason::not_json);
        }
        append_json_characters(out_, meanings.substr(which, 1));
        rest_.remove_prefix(2);
        return true;
    }

    bool unicode_escape() {
        const std::optional<char32_t> unit = unit_of_escape(rest_);
        if (!unit) {
            return fail(boundary_reason::not_json);
        }
        constexpr std::size_t length = 6;
        if (*unit == 0) {
            return replace(length, boundary_reason::nul_character, repairs_.nul_characters);
        }
        if (!is_high_surrogate(*unit) && !is_low_surrogate(*unit)) {
            append_code_point(*unit);
            rest_.remove_prefix(length);
            return true;
        }
        const std::optional<char32_t> next = unit_of_escape(rest_.substr(length));
        if (is_low_surrogate(*unit) || !next || !is_low_surrogate(*next)) {
            return replace(length, boundary_reason::lone_surrogate, repairs_.lone_surrogates);
        }
        append_code_point(0x10000 + ((*unit - 0xD800) << 10U) + (*next - 0xDC00));
        rest_.remove_prefix(2 * length);
        return true;
    }

    void append_code_point(char32_t code_point) {
        std::string character;
        append_utf8(character, code_point);
        append_json_characters(out_, character);
    }

    /// Refuses what cannot be stored, or steps over it, leaving and counting a replacement.
    bool replace(std::size_t length, boundary_reason reason, std::uint64_t& count) {
        if (policy_ == text_policy::reject) {
            return fail(reason);
        }
        ++count;
        append_utf8(out_, replacement_character);
        rest_.remove_prefix(length);
        return true;
    }

    bool literal(std::string_view word) {
        if (!rest_.starts_with(word)) {
            return fail(boundary_reason::not_json);
        }
        copy(word.size());
        return true;
    }

    bool number() {
        const number_shape shape = measure_number(rest_);
        if (shape.length == 0) {
            return fail(boundary_reason::not_json);
        }
        if (shape.length > max_number_bytes || !is_moderate(shape.exponent) ||
            !fits_a_double(rest_.substr(0, shape.length))) {
            return fail(boundary_reason::out_of_range);
        }
        copy(shape.length);
        return true;
    }

    [[nodiscard]] char front() const { return rest_.empty() ? '\0' : rest_.front(); }

    void skip_space() {
        const std::size_t end = rest_.find_first_not_of(" \t\n\r");
        rest_.remove_prefix(std::min(end, rest_.size()));
    }

    void copy(std::size_t length) {
        out_ += rest_.substr(0, length);
        rest_.remove_prefix(length);
    }

    bool copy_if(char wanted) {
        if (front() != wanted) {
            return false;
        }
        copy(1);
        return true;
    }

    bool fail(boundary_reason reason) {
        reason_ = reason;
        return false;
    }

    [[nodiscard]] std::string_view spelling_of(slice key) const {
        return std::string_view{out_}.substr(key.start, key.length);
    }

    /// The place the scan stopped at.
    [[nodiscard]] std::string path() const {
        std::string path{field_};
        for (std::size_t i = 0; i < open_.size(); ++i) {
            const frame& level = open_[i];
            if (!level.inside_member) {
                continue;
            }
            if (level.kind == container::array) {
                append_element(path, level.size - 1);
                continue;
            }
            const bool is_innermost = i + 1 == open_.size();
            const std::size_t end_of_keys = is_innermost ? keys_.size() : open_[i + 1].first_key;
            append_spelled_member(path, spelling_of(keys_[end_of_keys - 1]));
        }
        return path;
    }

    std::string_view rest_;
    std::string_view field_;
    const boundary_limits& limits_;
    text_policy policy_;

    std::string out_;
    std::vector<frame> open_;  ///< outermost first; never longer than `max_json_depth`
    std::vector<slice> keys_;  ///< of all open objects, outermost first
    std::size_t values_ = 0;
    repair_record repairs_;
    boundary_reason reason_{};
};

}  // namespace

checked<scanned_json> scan_json(
    std::string_view text, std::string_view field, const boundary_limits& limits, text_policy policy
) {
    return scanner{text, field, limits, policy}.scan();
}

}  // namespace convene
