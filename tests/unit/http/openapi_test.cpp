// SPDX-License-Identifier: Apache-2.0
// The OpenAPI document against the routes, in both directions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "unit/http/http_scene.hpp"

namespace convene {
namespace {

using testing::IsEmpty;

/// `GET /api/v1/rooms` of every operation of the document.
std::set<std::string> documented(std::string_view document) {
    std::set<std::string> all;
    for (const json_member& path : members_of(find_member(document, "paths").value_or("{}"))) {
        for (const json_member& method : members_of(path.value)) {
            std::string word{method.key};
            std::ranges::transform(word, word.begin(), [](char c) {
                return static_cast<char>(c - 'a' + 'A');
            });
            all.insert(word + " " + std::string{path.key});
        }
    }
    return all;
}

std::string_view operation(std::string_view document, const route& one) {
    std::string word{word_of(one.method)};
    std::ranges::transform(word, word.begin(), [](char c) {
        return static_cast<char>(c - 'A' + 'a');
    });
    const auto path = find_member(find_member(document, "paths").value_or("{}"), one.pattern);
    return find_member(path.value_or("{}"), word).value_or("{}");
}

// Every route is in the document, and the document has nothing else.
// Proves: R16
TEST(OpenApi, HasEveryRouteAndNoOther) {
    http_scene scene;
    const std::string document = scene.get("/api/openapi.json", "").body;
    EXPECT_EQ(find_text(document, "openapi"), "3.1.0");
    std::set<std::string> routes;
    for (const auto& one : scene.surface->routes().all()) {
        routes.insert(std::string{word_of(one->method)} + " " + one->pattern);
    }
    EXPECT_EQ(documented(document), routes);
    EXPECT_GT(routes.size(), 40U);
}

// Parameters, bodies and answers of each route stand in its operation.
// Proves: R16
TEST(OpenApi, OperationsSayWhatRoutesTake) {
    http_scene scene;
    const std::string document = scene.get("/api/openapi.json", "").body;
    for (const auto& one : scene.surface->routes().all()) {
        const std::string_view shown = operation(document, *one);
        EXPECT_EQ(find_text(shown, "operationId"), one->operation);
        const bool has_body = one->body || one->takes == body_kind::bytes;
        EXPECT_EQ(find_member(shown, "requestBody").has_value(), has_body) << one->operation;
        const auto parameters = elements_of(find_member(shown, "parameters").value_or("[]"));
        const auto in_path = std::ranges::count(one->pattern, '{');
        const std::size_t key = one->key == key_rule::honoured ? 1 : 0;
        EXPECT_EQ(
            parameters.size(), one->parameters.size() + static_cast<std::size_t>(in_path) + key
        ) << one->operation;
        const auto answers = members_of(find_member(shown, "responses").value_or("{}"));
        EXPECT_EQ(answers.size(), one->answers.size() + 1) << one->operation;
        EXPECT_FALSE(one->summary.empty()) << one->operation;
        EXPECT_FALSE(one->answers.empty()) << one->operation;
        EXPECT_TRUE(one->handle) << one->operation;
    }
}

/// Every `"$ref":"..."` of a text.
std::set<std::string> references(std::string_view text) {
    std::set<std::string> all;
    constexpr std::string_view key = "\"$ref\":\"#/components/schemas/";
    for (std::size_t at = text.find(key); at != std::string_view::npos;
         at = text.find(key, at + 1)) {
        const std::size_t start = at + key.size();
        all.emplace(text.substr(start, text.find('"', start) - start));
    }
    return all;
}

// Every schema that is referred to is there, and none is there that nothing refers to.
// Proves: R16
TEST(OpenApi, ReferencesLeadSomewhere) {
    http_scene scene;
    const std::string document = scene.get("/api/openapi.json", "").body;
    std::set<std::string> defined;
    const auto components = find_member(document, "components").value_or("{}");
    for (const json_member& one : members_of(find_member(components, "schemas").value_or("{}"))) {
        EXPECT_TRUE(defined.emplace(one.key).second) << one.key;
    }
    EXPECT_EQ(references(document), defined);
    for (const char* name :
         {"Room",
          "RoomDetail",
          "Event",
          "EventAnswer",
          "NewEvent",
          "Content",
          "TextContent",
          "Binding",
          "Participant",
          "Problem",
          "RoomStatus"}) {
        EXPECT_TRUE(defined.contains(name)) << name;
    }
}

// Schemas under one name are one schema: a second one would be lost in the document.
// Proves: R16
TEST(OpenApi, ANameIsOneSchema) {
    http_scene scene;
    std::map<std::string, std::vector<std::string>> seen;
    std::vector<std::string> differing;
    const std::function<void(const schema&)> look = [&](const schema& type) {
        std::vector<std::string> shape = type.words;
        for (const schema_field& field : type.fields) {
            shape.push_back(field.name);
            look(field.type);
        }
        for (const schema& variant : type.variants) {
            look(variant);
        }
        if (type.element != nullptr) {
            look(*type.element);
        }
        if (!type.name.empty() && seen.emplace(type.name, shape).first->second != shape) {
            differing.push_back(type.name);
        }
    };
    for (const auto& one : scene.surface->routes().all()) {
        if (one->body) {
            look(*one->body);
        }
        for (const described_answer& answer : one->answers) {
            if (answer.body) {
                look(*answer.body);
            }
        }
    }
    EXPECT_THAT(differing, IsEmpty());
    EXPECT_GT(seen.size(), 30U);
}

// CONVENE_OPENAPI_FILE names a file: the document is written there, for the generator of the web app's types.
// Proves: R16
TEST(OpenApi, IsWrittenToAFile) {
    http_scene scene;
    const std::string document = scene.get("/api/openapi.json", "").body;
    ASSERT_TRUE(json_text::parse(document)) << "it is JSON by our own rules";
    const char* const path = std::getenv("CONVENE_OPENAPI_FILE");
    if (path != nullptr) {
        std::ofstream out{path};
        out << document << '\n';
        EXPECT_TRUE(out.flush());
    }
}

}  // namespace
}  // namespace convene
