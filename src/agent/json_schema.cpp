// SPDX-License-Identifier: Apache-2.0
// JSON schemas by valijson, of which nothing is seen outside of this file.
#include "agent/json_schema.hpp"

// Without this it aborts the process on a schema that it does not understand.
#define VALIJSON_USE_EXCEPTIONS 1

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <charconv>
#include <exception>
#include <utility>
#include <valijson/adapters/boost_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "agent/schema_dialect.hpp"
#include "base/field_path.hpp"
#include "base/utf8.hpp"

namespace convene {

namespace {

constexpr std::size_t most_faults_told = 3;
constexpr std::size_t longest_misfit = 1'000;
constexpr std::size_t most_faults = 20;

/// `json_text` is JSON, but may be nested deeper than the parser likes.
std::optional<boost::json::value> parse(const json_text& text) {
    boost::system::error_code failed;
    boost::json::value parsed = boost::json::parse(text.str(), failed);
    if (failed) {
        return std::nullopt;
    }
    return parsed;
}

/// `a[0]: what is wrong`, from a path like `<root>`, `[a]`, `[0]`.
std::string describe(const valijson::ValidationResults::Error& fault) {
    std::string told;
    for (const std::string& step : fault.context) {
        if (step != "<root>") {
            told += step;
        }
    }
    if (!told.empty()) {
        told += ": ";
    }
    return told + fault.description;
}

/// How the library's sentences begin, and what they mean. One that is not here tells that something below does not fit, or
/// of a rule that has no word.
constexpr std::pair<std::string_view, boundary_reason> sentences[] = {
    {"Value type not permitted", boundary_reason::wrong_type},
    {"Missing required property '", boundary_reason::missing_field},
    {"Missing dependency '", boundary_reason::missing_field},
    {"Object contains a property that could not be validated", boundary_reason::unknown_field},
    {"Failed to match against any enum values", boundary_reason::unknown_value},
    {"Failed to match expected value set by 'const'", boundary_reason::unknown_value},
    {"Expected number", boundary_reason::out_of_range},
    {"String should be no more than", boundary_reason::too_long},
    {"String should be no fewer than", boundary_reason::too_short},
    {"Array should contain no more than", boundary_reason::too_many},
    {"Array contains more items than allowed", boundary_reason::too_many},
    {"Array should contain no fewer than", boundary_reason::too_short},
    {"Object should have no more than", boundary_reason::too_many},
    {"Object should have no fewer than", boundary_reason::too_short},
};

boundary_reason reason_of(std::string_view sentence) {
    for (const auto& [beginning, reason] : sentences) {
        if (sentence.starts_with(beginning)) {
            return reason;
        }
    }
    return boundary_reason::malformed;
}

bool is_of_alternatives(std::string_view sentence) {
    return sentence.starts_with("Failed to validate against any ") ||
           sentence.starts_with("Failed to validate against exactly one ");
}

/// The name in quotes at the end of a sentence. *Requires*: `reason` is that of a sentence with one.
std::string_view quoted_name(std::string_view sentence, boundary_reason reason) {
    const std::string_view opening = reason == boundary_reason::unknown_field ? "constraints: '"
                                                                              : " '";
    const std::size_t begin = sentence.find(opening);
    const std::size_t end = sentence.rfind('\'');
    if (begin == std::string_view::npos || end < begin + opening.size()) {
        return {};
    }
    return sentence.substr(begin + opening.size(), end - begin - opening.size());
}

/// The path of a step list like `<root>`, `[a]`, `[0]`: only the document tells elements from members.
std::string path_of(
    const std::vector<std::string>& steps,
    const boost::json::value& document,
    std::string_view field
) {
    std::string path{field};
    const boost::json::value* at = &document;
    for (const std::string& step : steps) {
        if (step == "<root>" || step.size() < 2) {
            continue;
        }
        const std::string_view name = std::string_view{step}.substr(1, step.size() - 2);
        if (at != nullptr && at->is_array()) {
            std::size_t index = 0;
            std::from_chars(name.data(), name.data() + name.size(), index);
            append_element(path, index);
            at = at->as_array().if_contains(index);
        } else {
            append_member(path, name);
            const auto* const object = at == nullptr ? nullptr : at->if_object();
            at = object == nullptr ? nullptr : object->if_contains(name);
        }
    }
    return path;
}

bool is_at_or_below(std::string_view path, std::string_view place) {
    return path.starts_with(place) &&
           (path.size() == place.size() || path[place.size()] == '.' || path[place.size()] == '[');
}

void add_fault(std::vector<boundary_error>* faults, std::string path, const std::string& sentence) {
    const boundary_reason reason = reason_of(sentence);
    const auto is_told = [&path](const boundary_error& told) {
        return is_at_or_below(told.field, path);
    };
    if (is_of_alternatives(sentence)) {
        // What each alternative misses says nothing of what was meant.
        std::erase_if(*faults, is_told);
    } else if (reason == boundary_reason::missing_field ||
               reason == boundary_reason::unknown_field) {
        append_member(path, quoted_name(sentence, reason));
    }
    // A sentence about what is around comes after those about what is in it.
    if (std::ranges::none_of(*faults, is_told)) {
        faults->push_back({std::move(path), reason});
    }
}

}  // namespace

struct json_schema::compiled {
    valijson::Schema rules;
};

json_schema::json_schema(std::unique_ptr<compiled> made) : made_(std::move(made)) {}

json_schema::json_schema(json_schema&& other) noexcept = default;
json_schema& json_schema::operator=(json_schema&& other) noexcept = default;
json_schema::~json_schema() = default;

checked<json_schema> json_schema::compile(const json_text& schema, std::string_view field) {
    const std::optional<boost::json::value> parsed = parse(schema);
    if (!parsed) {
        return boundary_error{std::string{field}, boundary_reason::too_deep};
    }
    const auto plain = in_draft_7(*parsed, field);
    if (!plain) {
        return plain.error();
    }
    auto made = std::make_unique<compiled>();
    try {
        const valijson::adapters::BoostJsonAdapter adapter{*plain};
        valijson::SchemaParser{valijson::SchemaParser::kDraft7}.populateSchema(
            adapter, made->rules
        );
    } catch (const std::exception&) {
        // A keyword's value makes no sense, as `"type": "strnig"`.
        return boundary_error{std::string{field}, boundary_reason::malformed};
    }
    return json_schema{std::move(made)};
}

std::optional<std::string> json_schema::find_misfit(const json_text& document) const {
    const std::optional<boost::json::value> parsed = parse(document);
    if (!parsed) {
        return "nested too deep";
    }
    valijson::ValidationResults found;
    const valijson::adapters::BoostJsonAdapter adapter{*parsed};
    valijson::Validator validator;
    if (validator.validate(made_->rules, adapter, &found)) {
        return std::nullopt;
    }
    std::string told;
    std::size_t count = 0;
    for (const auto& fault : found) {
        if (++count > most_faults_told) {
            break;
        }
        told += told.empty() ? "" : "; ";
        told += describe(fault);
    }
    return std::string{utf8_prefix(told, longest_misfit)};
}

std::vector<boundary_error> json_schema::find_faults(
    const json_text& document, std::string_view field
) const {
    const std::optional<boost::json::value> parsed = parse(document);
    if (!parsed) {
        return {{std::string{field}, boundary_reason::too_deep}};
    }
    valijson::ValidationResults found;
    const valijson::adapters::BoostJsonAdapter adapter{*parsed};
    valijson::Validator validator;
    std::vector<boundary_error> faults;
    if (validator.validate(made_->rules, adapter, &found)) {
        return faults;
    }
    for (const auto& fault : found) {
        add_fault(&faults, path_of(fault.context, *parsed, field), fault.description);
    }
    faults.resize(std::min(faults.size(), most_faults));
    return faults;
}

}  // namespace convene
