// SPDX-License-Identifier: Apache-2.0
// Reading parameters and bodies.
#include "http/reading.hpp"

#include <algorithm>
#include <charconv>

#include "base/field_path.hpp"
#include "base/json_writer.hpp"
#include "base/text_boundary.hpp"
#include "http/uri.hpp"

namespace convene {

namespace {

/// What a body that is not asked for may be.
const schema& nothing_asked() {
    static const schema empty = schema::input("", {});
    return empty;
}

bool is_blank(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool is_json(std::string_view content_type) {
    const std::string_view type = content_type.substr(0, content_type.find_first_of("; "));
    std::string lower{type};
    std::ranges::transform(lower, lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return lower == "application/json" || lower == "application/merge-patch+json";
}

/// A parameter as the JSON its schema is about.
std::string as_json(const schema& type, const std::string& text) {
    switch (type.what) {
        case schema::kind::boolean:
            return text == "1" ? "true" : text == "0" ? "false" : text;
        case schema::kind::integer:
        case schema::kind::number:
            return text;
        default: {
            std::string spelled;
            append_json_string(spelled, text);
            return spelled;
        }
    }
}

/// Whether text is spelled like a whole number, so that `faults_of` may look at it.
bool looks_like_a_number(std::string_view text) {
    std::string_view digits = text;
    digits.remove_prefix(digits.starts_with('-') ? 1 : 0);
    return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

or_problem<> check_parameter(const parameter& declared, const std::string& text) {
    const bool is_number = declared.type.what == schema::kind::integer;
    if (is_number && !looks_like_a_number(text)) {
        return validation_problem(declared.name, boundary_reason::wrong_type);
    }
    std::vector<field_fault> faults = faults_of(
        declared.type, as_json(declared.type, text), declared.name
    );
    if (!faults.empty()) {
        return validation_problem(std::move(faults));
    }
    return {};
}

const parameter* find_query_parameter(const route& matched, std::string_view name) {
    for (const parameter& one : matched.parameters) {
        if (one.in == parameter_place::query && one.name == name) {
            return &one;
        }
    }
    return nullptr;
}

bool is_given(const route_call& call, std::string_view name) {
    return std::ranges::any_of(call.parameters, [&](const auto& one) { return one.first == name; });
}

/// An unknown name as an error shows it: escaped and cut.
std::string shown(std::string_view name) {
    return name.empty() ? std::string{"query"} : member_path("", name);
}

}  // namespace

or_problem<> read_path(route_call* call) {
    for (auto& [name, value] : call->path) {
        std::optional<std::string> decoded = percent_decode(value, plus_sign::is_plus);
        if (!decoded) {
            return validation_problem(name, boundary_reason::malformed);
        }
        if (const checked<> id = check_id(*decoded, name); !id) {
            return problem_of(id.error());
        }
        value = *std::move(decoded);
    }
    return {};
}

or_problem<> read_parameters(route_call* call) {
    const auto query = parse_query(call->request.query);
    if (!query) {
        return problem_of(query.error());
    }
    std::vector<field_fault> faults;
    for (const auto& sent : *query) {
        const std::string& name = sent.first;
        const parameter* const declared = find_query_parameter(*call->matched, name);
        if (declared == nullptr) {
            faults.push_back({shown(name), std::string{word_of(boundary_reason::unknown_field)}});
            continue;
        }
        if (is_given(*call, name)) {
            faults.push_back({name, std::string{word_of(boundary_reason::duplicate_key)}});
            continue;
        }
        if (const or_problem<> fits = check_parameter(*declared, sent.second); !fits) {
            const problem what = fits.error();
            faults.insert(faults.end(), what.errors.begin(), what.errors.end());
            continue;
        }
        call->parameters.push_back(sent);
    }
    for (const parameter& declared : call->matched->parameters) {
        if (declared.in == parameter_place::header) {
            const auto sent = call->request.headers.find(declared.name);
            if (sent) {
                const std::string value{*sent};
                const checked<> clean = check_text(value, declared.name);
                const or_problem<> fits = clean ? check_parameter(declared, value)
                                                : or_problem<>{problem_of(clean.error())};
                if (!fits) {
                    return fits.error();
                }
                call->parameters.emplace_back(declared.name, value);
            }
        }
        if (declared.need == presence::required && !is_given(*call, declared.name)) {
            faults.push_back({declared.name, std::string{word_of(boundary_reason::missing_field)}});
        }
    }
    if (!faults.empty()) {
        return validation_problem(std::move(faults));
    }
    if (call->matched->key == key_rule::honoured) {
        call->idempotency_key = call->request.headers.find("idempotency-key").value_or("");
        const checked<> id = call->idempotency_key.empty()
                                 ? checked<>{}
                                 : check_id(call->idempotency_key, "Idempotency-Key");
        if (!id) {
            return problem_of(id.error());
        }
    }
    return {};
}

or_problem<> read_body(route_call* call) {
    if (call->matched->reading == body_rule::raw) {
        return {};
    }
    return parse_body(call);
}

or_problem<> parse_body(route_call* call) {
    const route& matched = *call->matched;
    if (matched.takes == body_kind::bytes) {
        return {};
    }
    const std::string body = std::move(call->request.body);
    call->request.body.clear();
    const bool may_have_body = call->request.method == http_method::post ||
                               call->request.method == http_method::put ||
                               call->request.method == http_method::patch;
    if (!matched.body && (!may_have_body || is_blank(body))) {
        return {};
    }
    const schema* const wanted = matched.body ? &*matched.body : &nothing_asked();
    if (is_blank(body)) {
        if (matched.body_presence == presence::optional) {
            call->body.emplace(wanted, "{}");
            return {};
        }
        return validation_problem("body", boundary_reason::missing_field);
    }
    if (!is_json(call->request.headers.find("content-type").value_or(""))) {
        problem what;
        what.status = 415;
        what.code = "UNSUPPORTED_MEDIA_TYPE";
        what.detail = "send the body as `Content-Type: application/json`";
        return what;
    }
    or_problem<read_object> read = read_object::parse(wanted, body);
    if (!read) {
        return read.error();
    }
    call->body = *std::move(read);
    return {};
}

std::string trace_parent_of(const http_headers& headers) {
    // 00-32 hex digits-16 hex digits-2 hex digits; a newer version may go on behind them.
    constexpr std::size_t length = 55;
    const std::string_view text = headers.find("traceparent").value_or("");
    if (text.size() < length || (text.size() > length && text[length] != '-') ||
        text.size() > 255) {
        return {};
    }
    for (std::size_t i = 0; i < length; ++i) {
        const bool is_dash = i == 2 || i == 35 || i == 52;
        const char c = text[i];
        const bool is_hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        if (is_dash ? c != '-' : !is_hex) {
            return {};
        }
    }
    return text.starts_with("ff") ? std::string{} : std::string{text.substr(0, length)};
}

}  // namespace convene
