// SPDX-License-Identifier: Apache-2.0
// JSON schemas by valijson, of which nothing is seen outside of this file.
#include "agent/json_schema.hpp"

// Without this it aborts the process on a schema that it does not understand.
#define VALIJSON_USE_EXCEPTIONS 1

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <exception>
#include <utility>
#include <valijson/adapters/boost_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "agent/schema_dialect.hpp"
#include "base/utf8.hpp"

namespace convene {

namespace {

constexpr std::size_t most_faults_told = 3;
constexpr std::size_t longest_misfit = 1'000;

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

}  // namespace convene
