// SPDX-License-Identifier: Apache-2.0
// Values of settings: one reader and one description for each kind.
#include "base/config/value.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text_boundary.hpp"

namespace convene {

namespace {

struct duration_unit {
    std::string_view suffix;
    std::int64_t milliseconds;
};

// From large to small, the order in which a duration is shown.
constexpr std::array<duration_unit, 4> units{
    {{"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}}
};

bool is_in_range(const setting& what, std::int64_t number) {
    return number >= what.min && number <= what.max;
}

/// The whole text as a decimal number.
std::optional<std::int64_t> parse_integer(std::string_view text) {
    std::int64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) {
        return std::nullopt;
    }
    return number;
}

std::optional<duration_unit> unit_named(std::string_view suffix) {
    if (suffix.empty()) {
        return duration_unit{"s", 1000};
    }
    const auto unit = std::ranges::find(units, suffix, &duration_unit::suffix);
    if (unit == units.end()) {
        return std::nullopt;
    }
    return *unit;
}

/// A number without sign, with up to three decimals, before an optional unit.
std::optional<milliseconds> parse_duration(std::string_view text) {
    const std::size_t number_length = std::min(text.find_first_not_of("0123456789."), text.size());
    const auto unit = unit_named(text.substr(number_length));
    const std::string_view number = text.substr(0, number_length);
    const std::size_t point = std::min(number.find('.'), number.size());
    std::string thousandths{number.substr(point)};
    if (thousandths.size() > 4 || thousandths == ".") {
        return std::nullopt;
    }
    thousandths.resize(4, '0');
    const auto whole = parse_integer(number.substr(0, point));
    const auto fraction = parse_integer(std::string_view{thousandths}.substr(1));
    constexpr std::int64_t max_whole = 1'000'000'000;
    if (!unit || !whole || !fraction || *whole > max_whole) {
        return std::nullopt;
    }
    const std::int64_t thousand_times = (*whole * 1000 + *fraction) * unit->milliseconds;
    if (thousand_times % 1000 != 0) {
        return std::nullopt;  // finer than a millisecond
    }
    return milliseconds{thousand_times / 1000};
}

std::optional<setting_value> read_integer(const setting& what, std::string_view text) {
    const auto number = parse_integer(text);
    if (!number || !is_in_range(what, *number)) {
        return std::nullopt;
    }
    return *number;
}

std::optional<setting_value> read_duration(const setting& what, std::string_view text) {
    const auto duration = parse_duration(text);
    if (!duration || !is_in_range(what, duration->count())) {
        return std::nullopt;
    }
    return *duration;
}

std::optional<setting_value> read_boolean(std::string_view text) {
    if (text != "true" && text != "false") {
        return std::nullopt;
    }
    return text == "true";
}

std::optional<setting_value> read_word(const setting& what, std::string_view text) {
    if (std::ranges::find(what.words, text) == what.words.end()) {
        return std::nullopt;
    }
    return std::string{text};
}

std::optional<setting_value> read_string(const setting& what, std::string_view text) {
    if (!check_text(text, what.name) || (what.form != nullptr && !what.form->accepts(text))) {
        return std::nullopt;
    }
    return std::string{text};
}

std::string describe_range(
    std::string_view kind, const std::string& min, const std::string& max, std::string_view hint
) {
    std::string text{kind};
    text += " from " + min + " to " + max;
    text += hint;
    return text;
}

std::string describe_words(std::span<const std::string_view> words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) {
            text += i + 1 == words.size() ? " or " : ", ";
        }
        text += words[i];
    }
    return text;
}

struct shower {
    const setting& what;

    std::string operator()(const std::string& text) const {
        if (what.kind != setting_kind::secret) {
            return text;
        }
        return what.redacted == nullptr ? "***" : what.redacted(text);
    }

    std::string operator()(std::int64_t number) const { return std::to_string(number); }

    std::string operator()(milliseconds duration) const { return format_duration(duration); }

    std::string operator()(bool on) const { return on ? "true" : "false"; }
};

}  // namespace

std::optional<setting_value> parse_setting(const setting& what, std::string_view text) {
    switch (what.kind) {
        case setting_kind::integer:
            return read_integer(what, text);
        case setting_kind::duration:
            return read_duration(what, text);
        case setting_kind::boolean:
            return read_boolean(text);
        case setting_kind::enumeration:
            return read_word(what, text);
        case setting_kind::string:
        case setting_kind::secret:
            return read_string(what, text);
    }
    return std::nullopt;
}

std::string describe_allowed(const setting& what) {
    switch (what.kind) {
        case setting_kind::integer:
            return describe_range(
                "an integer", std::to_string(what.min), std::to_string(what.max), ""
            );
        case setting_kind::duration:
            return describe_range(
                "a duration",
                format_duration(milliseconds{what.min}),
                format_duration(milliseconds{what.max}),
                ", such as 30 (seconds), 500ms or 2m"
            );
        case setting_kind::boolean:
            return "true or false";
        case setting_kind::enumeration:
            return describe_words(what.words);
        case setting_kind::string:
        case setting_kind::secret:
            return std::string{what.form == nullptr ? "text in UTF-8" : what.form->description};
    }
    return {};
}

std::string show_setting(const setting& what, const setting_value& value) {
    return std::visit(shower{what}, value);
}

std::string format_duration(milliseconds duration) {
    if (duration.count() == 0) {
        return "0s";
    }
    const auto unit = std::ranges::find_if(units, [&](const duration_unit& candidate) {
        return duration.count() % candidate.milliseconds == 0;
    });
    return std::to_string(duration.count() / unit->milliseconds) + std::string{unit->suffix};
}

}  // namespace convene
