// SPDX-License-Identifier: Apache-2.0
// The hostile corpus through every route that takes a body: refused by field or stored by policy, never a 500.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "support/hostile_corpus.hpp"
#include "unit/http/http_scene.hpp"

namespace convene {
namespace {

/// The document as a JSON value: what is text stands in quotes, its bytes as they are where JSON lets them.
std::string as_value(const hostile_document& document) {
    if (document.kind == hostile_kind::json || document.kind == hostile_kind::content) {
        return document.bytes;
    }
    std::string quoted = "\"";
    for (const char c : document.bytes) {
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            constexpr std::string_view hex = "0123456789abcdef";
            quoted += "\\u00";
            quoted += hex[static_cast<unsigned char>(c) >> 4U];
            quoted += hex[static_cast<unsigned char>(c) & 0x0FU];
        } else {
            quoted += c;
        }
    }
    return quoted + '"';
}

/// Where a document of a kind belongs in a body.
bool fits(hostile_kind kind, schema::kind field) {
    switch (kind) {
        case hostile_kind::text:
        case hostile_kind::id:
            return field == schema::kind::text || field == schema::kind::id;
        case hostile_kind::json:
            return field == schema::kind::any_object;
        case hostile_kind::content:
            return field == schema::kind::content;
    }
    return false;
}

/// A value that a field takes.
std::string plain_value(const schema& type) {
    switch (type.what) {
        case schema::kind::text:
        case schema::kind::id:
            return R"("x")";
        case schema::kind::integer:
            return "1";
        case schema::kind::content:
            return R"({"type":"text","body":"x"})";
        case schema::kind::word:
            return '"' + type.words.front() + '"';
        default:
            return "{}";
    }
}

/// A body with the document in one field and whatever else is required.
std::string body_with(const schema& body, const schema_field& field, const std::string& value) {
    std::string text = "{\"" + field.name + "\":" + value;
    for (const schema_field& other : body.fields) {
        if (other.need == presence::required && other.name != field.name) {
            text += ",\"" + other.name + "\":" + plain_value(other.type);
        }
    }
    return text + "}";
}

std::string path_of(const route& one) {
    std::string path = one.pattern;
    for (const auto& [name, value] : std::initializer_list<std::pair<std::string, std::string>>{
             {"{room_id}", "r"},
             {"{event_id}", "e"},
             {"{channel_id}", "phone"},
             {"{participant_id}", "bob"},
             {"{task_id}", "t"},
             {"{identity_id}", "i"},
         }) {
        const std::size_t at = path.find(name);
        if (at != std::string::npos) {
            path.replace(at, name.size(), value);
        }
    }
    return path;
}

class Hostile : public testing::TestWithParam<hostile_document> {};

// No body of any route makes the server fail.
// Proves: R16
TEST_P(Hostile, NoRouteFails) {
    const hostile_document& document = GetParam();
    const std::string value = as_value(document);
    http_scene scene{{1e6, 1e6}};
    scene.make_room();
    int tried = 0;
    for (const auto& one : scene.surface->routes().all()) {
        if (!one->body) {
            continue;
        }
        const auto try_body = [&](std::string body) {
            ++tried;
            const seen_reply reply = scene.ask(
                http_scene::request(one->method, path_of(*one), "token", std::move(body))
            );
            EXPECT_LT(reply.status, 500) << one->operation << ": " << reply.body;
            EXPECT_GE(reply.status, 200) << one->operation;
        };
        try_body(value);
        for (const schema_field& field : one->body->fields) {
            if (fits(document.kind, field.type.what)) {
                try_body(body_with(*one->body, field, value));
            }
        }
    }
    EXPECT_GT(tried, 10);
}

/// Reasons that depend on how much stands around the document.
bool is_about_size(std::string_view reason) {
    constexpr std::array<std::string_view, 3> reasons{"too_long", "too_deep", "too_many"};
    return std::ranges::find(reasons, reason) != reasons.end();
}

/// The body of an event with the document where it belongs, and the field that is named if it is at fault.
std::pair<std::string, std::string> event_with(const hostile_document& document) {
    const std::string value = as_value(document);
    switch (document.kind) {
        case hostile_kind::text:
            return {R"({"content":{"type":"text","body":)" + value + "}}", "content.body"};
        case hostile_kind::id:
            return {
                R"({"content":{"type":"text","body":"x"},"correlation_id":)" + value + "}",
                "correlation_id"
            };
        case hostile_kind::json:
            return {
                R"({"content":{"type":"text","body":"x"},"metadata":)" + value + "}", document.field
            };
        case hostile_kind::content:
            return {R"({"content":)" + value + "}", document.field};
    }
    return {};
}

// Sent as an event it is refused with its field and reason, or it is stored.
// Proves: R16
TEST_P(Hostile, AnEventIsStoredOrRefusedByField) {
    const hostile_document& document = GetParam();
    http_scene scene;
    scene.make_room();
    const auto [body, field] = event_with(document);
    const seen_reply reply = scene.post("/api/v1/rooms/r/events", body, "token");
    EXPECT_LT(reply.status, 500) << reply.body;
    // `null` in a request is a field that was left out.
    if (document.is_accepted() || document.bytes == "null") {
        const bool is_stored = reply.status == 201;
        EXPECT_EQ(scene.timeline_of("acme").size(), is_stored ? 1U : 0U);
        EXPECT_TRUE(is_stored || reply.status >= 400) << reply.status;
        return;
    }
    EXPECT_GE(reply.status, 400) << "it must be refused";
    EXPECT_TRUE(scene.timeline_of("acme").empty());
    if (document.reason == "not_json") {
        // Broken JSON can close the body early; then the fault is another's.
        EXPECT_FALSE(reply.fault().empty()) << reply.body;
    } else if (!is_about_size(document.reason)) {
        EXPECT_EQ(reply.fault(), field + ": " + std::string{document.reason}) << reply.body;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Corpus,
    Hostile,
    testing::ValuesIn(hostile_corpus()),
    [](const testing::TestParamInfo<hostile_document>& document) {
        return std::string{document.param.name};
    }
);

}  // namespace
}  // namespace convene
