// SPDX-License-Identifier: Apache-2.0
// Writing the OpenAPI document.
#include "http/openapi.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/json_writer.hpp"
#include "http/content_schema.hpp"

namespace convene {

namespace {

/// Collects the named schemas while they are referred to.
class document {
   public:
    explicit document(const route_table& routes) : routes_(routes) {}

    json_text write(const std::string& version) {
        out_.begin_object();
        out_.key("openapi").string("3.1.0");
        out_.key("info").begin_object();
        out_.key("title").string("Convene");
        out_.key("version").string(version);
        out_.key("description").string("Rooms, their timelines, and what is delivered from them.");
        out_.key("license").begin_object();
        out_.key("name").string("Apache-2.0");
        out_.key("identifier").string("Apache-2.0");
        out_.end_object();
        out_.end_object();
        out_.key("servers").begin_array().begin_object();
        out_.key("url").string("/");
        out_.end_object().end_array();
        write_tags();
        write_paths();
        write_components();
        out_.end_object();
        return out_.take();
    }

   private:
    void write_tags() {
        std::set<std::string> tags;
        for (const auto& one : routes_.all()) {
            tags.insert(one->tag);
        }
        out_.key("tags").begin_array();
        for (const std::string& tag : tags) {
            out_.begin_object();
            out_.key("name").string(tag);
            out_.end_object();
        }
        out_.end_array();
    }

    void write_paths() {
        std::map<std::string, std::vector<const route*>> paths;
        for (const auto& one : routes_.all()) {
            paths[one->pattern].push_back(one.get());
        }
        out_.key("paths").begin_object();
        for (const auto& [pattern, methods] : paths) {
            out_.key(pattern).begin_object();
            for (const route* one : methods) {
                write_operation(*one);
            }
            out_.end_object();
        }
        out_.end_object();
    }

    void write_operation(const route& one) {
        std::string method{word_of(one.method)};
        std::ranges::transform(method, method.begin(), [](char c) {
            return static_cast<char>(c - 'A' + 'a');
        });
        out_.key(method).begin_object();
        out_.key("operationId").string(one.operation);
        out_.key("summary").string(one.summary);
        out_.key("tags").begin_array().string(one.tag).end_array();
        write_security(one.who);
        write_parameters(one);
        if (one.body) {
            out_.key("requestBody").begin_object();
            out_.key("required").boolean(one.body_presence == presence::required);
            write_content("application/json", *one.body);
            out_.end_object();
        }
        if (one.takes == body_kind::bytes) {
            out_.key("requestBody").begin_object();
            out_.key("required").boolean(true);
            write_bytes(any_media_type);
            out_.end_object();
        }
        out_.key("responses").begin_object();
        for (const described_answer& answer : one.answers) {
            out_.key(std::to_string(answer.status)).begin_object();
            out_.key("description").string(answer.description);
            if (answer.body) {
                write_content(answer.media_type, *answer.body);
            } else if (answer.media_type == any_media_type) {
                write_bytes(any_media_type);
            }
            out_.end_object();
        }
        out_.key("default").begin_object();
        out_.key("$ref").string("#/components/responses/Problem");
        out_.end_object();
        out_.end_object();
        out_.end_object();
    }

    void write_security(permission who) {
        out_.key("security").begin_array();
        if (who != permission::anyone) {
            for (const char* scheme : {"token", "session"}) {
                out_.begin_object();
                out_.key(scheme).begin_array().end_array();
                out_.end_object();
            }
        }
        out_.end_array();
    }

    void write_parameters(const route& one) {
        out_.key("parameters").begin_array();
        std::string_view rest = one.pattern;
        for (std::size_t open = rest.find('{'); open != std::string_view::npos;
             open = rest.find('{')) {
            rest.remove_prefix(open + 1);
            const std::string name{rest.substr(0, rest.find('}'))};
            write_parameter(name, "path", schema::id(), "", "", presence::required);
        }
        for (const parameter& given : one.parameters) {
            const bool is_query = given.in == parameter_place::query;
            write_parameter(
                given.name,
                is_query ? "query" : "header",
                given.type,
                given.description,
                given.fallback,
                given.need
            );
        }
        if (one.key == key_rule::honoured) {
            write_parameter(
                "Idempotency-Key",
                "header",
                schema::id(),
                "The same key again answers with the first result",
                "",
                presence::optional
            );
        }
        out_.end_array();
    }

    void write_parameter(
        const std::string& name,
        std::string_view in,
        const schema& type,
        const std::string& description,
        const std::string& fallback,
        presence need
    ) {
        out_.begin_object();
        out_.key("name").string(name);
        out_.key("in").string(in);
        out_.key("required").boolean(need == presence::required);
        if (!description.empty()) {
            out_.key("description").string(description);
        }
        out_.key("schema");
        write_schema(type, fallback);
        out_.end_object();
    }

    void write_content(const std::string& media_type, const schema& body) {
        out_.key("content").begin_object();
        out_.key(media_type).begin_object();
        out_.key("schema");
        write_schema(body);
        out_.end_object();
        out_.end_object();
    }

    /// Since 3.1 bytes have no schema: the media type says it all.
    void write_bytes(const std::string& media_type) {
        out_.key("content").begin_object();
        out_.key(media_type).begin_object().end_object();
        out_.end_object();
    }

    /// A reference where the schema has a name, else the schema itself.
    void write_schema(
        const schema& type, const std::string& fallback = {}, const std::string& description = {}
    ) {
        if (type.name.empty()) {
            write_definition(type, fallback, description);
            return;
        }
        schema plain = type;
        plain.is_nullable = false;
        components_.emplace(type.name, std::move(plain));
        out_.begin_object();
        if (type.is_nullable) {
            out_.key("anyOf").begin_array();
            out_.begin_object();
            write_reference(type.name);
            out_.end_object();
            out_.begin_object();
            out_.key("type").string("null");
            out_.end_object();
            out_.end_array();
        } else {
            write_reference(type.name);
        }
        // Both are allowed beside a reference since 3.1.
        if (!fallback.empty()) {
            out_.key("default").string(fallback);
        }
        write_description(description);
        out_.end_object();
    }

    void write_description(const std::string& description) {
        if (!description.empty()) {
            out_.key("description").string(description);
        }
    }

    void write_reference(const std::string& name) {
        out_.key("$ref").string("#/components/schemas/" + name);
    }

    void write_type(const schema& type, std::string_view word) {
        if (!type.is_nullable) {
            out_.key("type").string(word);
            return;
        }
        out_.key("type").begin_array().string(word).string("null").end_array();
    }

    void write_definition(
        const schema& type, const std::string& fallback = {}, const std::string& description = {}
    ) {
        out_.begin_object();
        switch (type.what) {
            case schema::kind::text:
                write_type(type, "string");
                if (type.text_length.min > 0) {
                    out_.key("minLength").integer(static_cast<std::int64_t>(type.text_length.min));
                }
                break;
            case schema::kind::id:
                write_type(type, "string");
                out_.key("minLength").integer(1);
                out_.key("maxLength").integer(boundary_limits{}.max_id_bytes);
                break;
            case schema::kind::boolean:
                write_type(type, "boolean");
                break;
            case schema::kind::integer:
                write_integer(type);
                break;
            case schema::kind::number:
                write_type(type, "number");
                out_.key("minimum").number(type.min_number);
                out_.key("maximum").number(type.max_number);
                break;
            case schema::kind::time:
                write_type(type, "string");
                out_.key("format").string("date-time");
                break;
            case schema::kind::word:
                write_words(type);
                break;
            case schema::kind::list:
                write_type(type, "array");
                out_.key("items");
                write_schema(*type.element);
                break;
            case schema::kind::object:
                write_object(type);
                break;
            case schema::kind::any_object:
                write_type(type, "object");
                out_.key("additionalProperties").boolean(true);
                break;
            case schema::kind::one_of:
                write_variants(type);
                break;
            case schema::kind::content:
                write_variants(content_schema());
                break;
            case schema::kind::any:
                break;
        }
        if (!fallback.empty()) {
            write_default(type, fallback);
        }
        write_description(description);
        out_.end_object();
    }

    void write_default(const schema& type, const std::string& fallback) {
        out_.key("default");
        const bool is_plain = type.what == schema::kind::integer ||
                              type.what == schema::kind::boolean;
        if (is_plain) {
            out_.json(json_text::trusted(fallback));
        } else {
            out_.string(fallback);
        }
    }

    void write_integer(const schema& type) {
        constexpr whole_number_limits any;
        write_type(type, "integer");
        out_.key("format").string("int64");
        if (type.integers.min != any.min) {
            out_.key("minimum").integer(type.integers.min);
        }
        if (type.integers.max != any.max) {
            out_.key("maximum").integer(type.integers.max);
        }
    }

    void write_words(const schema& type) {
        write_type(type, "string");
        out_.key("enum").begin_array();
        for (const std::string& word : type.words) {
            out_.string(word);
        }
        if (type.is_nullable) {
            out_.null();
        }
        out_.end_array();
    }

    void write_object(const schema& type) {
        write_type(type, "object");
        out_.key("properties").begin_object();
        for (const schema_field& field : type.fields) {
            out_.key(field.name);
            write_schema(field.type, "", field.description);
        }
        out_.end_object();
        const bool has_required = std::ranges::any_of(type.fields, [](const schema_field& field) {
            return field.need == presence::required;
        });
        if (has_required) {
            out_.key("required").begin_array();
            for (const schema_field& field : type.fields) {
                if (field.need == presence::required) {
                    out_.string(field.name);
                }
            }
            out_.end_array();
        }
        if (type.is_input) {
            out_.key("additionalProperties").boolean(false);
        }
    }

    void write_variants(const schema& type) {
        out_.key("oneOf").begin_array();
        for (const schema& variant : type.variants) {
            write_schema(variant);
        }
        out_.end_array();
        out_.key("discriminator").begin_object();
        out_.key("propertyName").string(type.discriminator);
        out_.key("mapping").begin_object();
        for (const schema& variant : type.variants) {
            out_.key(variant.fields.front().type.words.front())
                .string("#/components/schemas/" + variant.name);
        }
        out_.end_object();
        out_.end_object();
    }

    void write_components() {
        out_.key("components").begin_object();
        out_.key("securitySchemes").begin_object();
        out_.key("token").begin_object();
        out_.key("type").string("http");
        out_.key("scheme").string("bearer");
        out_.end_object();
        out_.key("session").begin_object();
        out_.key("type").string("apiKey");
        out_.key("in").string("cookie");
        out_.key("name").string("convene_session");
        out_.end_object();
        out_.end_object();

        out_.key("responses").begin_object();
        out_.key("Problem").begin_object();
        out_.key("description").string("Why it was refused (RFC 9457)");
        write_content("application/problem+json", problem_schema());
        out_.end_object();
        out_.end_object();

        // Writing one may name others.
        out_.key("schemas").begin_object();
        std::set<std::string> written;
        for (;;) {
            const auto next = std::ranges::find_if(components_, [&](const auto& entry) {
                return !written.contains(entry.first);
            });
            if (next == components_.end()) {
                break;
            }
            written.insert(next->first);
            const schema type = next->second;
            out_.key(next->first);
            write_definition(type);
        }
        out_.end_object();
        out_.end_object();
    }

    const route_table& routes_;
    json_writer out_;
    std::map<std::string, schema> components_;
};

}  // namespace

json_text openapi_of(const route_table& routes, std::string version) {
    return document{routes}.write(version);
}

namespace {

struct made_document {
    const route_table* routes;
    std::string version;
    std::optional<json_text> text;
};

awaitable<handled> get_document(std::shared_ptr<made_document> made) {
    if (!made->text) {
        made->text = openapi_of(*made->routes, made->version);
    }
    http_response answer = json_answer(200, *made->text);
    answer.headers.set("cache-control", "no-cache");
    co_return answer;
}

}  // namespace

route openapi_route(const route_table* routes, std::string version) {
    route added;
    added.pattern = "/api/openapi.json";
    added.operation = "get_openapi";
    added.summary = "This document";
    added.tag = "system";
    added.who = permission::anyone;
    added.answers = {{200, "The document", schema::any_object()}};
    auto made = std::make_shared<made_document>(routes, std::move(version));
    added.handle = [made](route_call) { return get_document(made); };
    return added;
}

}  // namespace convene
