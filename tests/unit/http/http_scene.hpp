// SPDX-License-Identifier: Apache-2.0
// The HTTP surface over a kit on a memory store: people who ask, requests as values, answers held against the
// document.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "http/content_schema.hpp"
#include "http/surface.hpp"
#include "support/kit_scene.hpp"
#include "unit/http/seen_reply.hpp"

namespace convene {

/// Knows its callers by the name in `Authorization: Bearer <name>`.
class known_callers final : public authenticator {
   public:
    [[nodiscard]] awaitable<result<principal>> authenticate(http_request head) override {
        ++asked;
        const std::string_view sent = head.headers.find("authorization").value_or("");
        const auto found = callers.find(
            std::string{sent.substr(std::min<std::size_t>(7, sent.size()))}
        );
        if (found == callers.end()) {
            co_return errc::not_authorized;
        }
        co_return found->second;
    }

    /// Users are callers by their name, and `token` is the one token.
    [[nodiscard]] awaitable<result<principal>> check_again(principal who) override {
        const auto found = callers.find(who.is_user() ? who.user : "token");
        if (found == callers.end()) {
            co_return errc::not_authorized;
        }
        co_return found->second;
    }

    std::map<std::string, principal> callers;
    int asked = 0;
};

/// One worker with its surface. `ann` and `bob` are members, `olga` an operator, `adam` an admin, `token` a token
/// with the role admin, `eve` an admin of another organisation.
class http_scene : public kit_scene {
   public:
    explicit http_scene(rate_gate_settings rates = {1000, 1000}) {
        add_user("ann", user_role::member);
        add_user("bob", user_role::member);
        add_user("olga", user_role::operator_);
        add_user("adam", user_role::admin);
        add_user("eve", user_role::admin);
        callers.callers["eve"].organization = organization_id{"globex"};
        principal token;
        token.organization = organization_id{"acme"};
        token.token = "t1";
        token.role = user_role::admin;
        callers.callers["token"] = token;

        http_surface_parts parts;
        parts.kit = kit.get();
        parts.who = &callers;
        parts.clock = &world->clock;
        parts.version = "0.1.0";
        parts.inbox = &inbox;
        parts.box = &box;
        surface = std::make_unique<http_surface>(std::move(parts), rate_limits{rates, rates});
        reopen();
    }

    void add_user(const std::string& name, user_role role) {
        principal who;
        who.organization = organization_id{"acme"};
        who.user = name;
        who.display_name = name;
        who.session = "s-" + name;
        who.role = role;
        who.csrf = csrf_state::verified;
        callers.callers[name] = who;
    }

    [[nodiscard]] static http_request request(
        http_method method, std::string target, std::string who, std::string body = {}
    ) {
        http_request asked;
        asked.method = method;
        const std::size_t mark = std::min(target.find('?'), target.size());
        asked.path = target.substr(0, mark);
        asked.query = target.substr(std::min(target.size(), mark + 1));
        asked.peer = "127.0.0.1";
        if (!who.empty()) {
            asked.headers.add("authorization", "Bearer " + who);
        }
        if (!body.empty()) {
            asked.headers.add("content-type", "application/json");
        }
        asked.body = std::move(body);
        return asked;
    }

    seen_reply ask(http_request asked) {
        const http_method method = asked.method;
        const std::string path = asked.path;
        http_answer answered = loop.run(surface->front().answer(std::move(asked)));
        seen_reply reply;
        if (auto* const whole = std::get_if<http_response>(&answered)) {
            reply = {whole->status, std::move(whole->headers), std::move(whole->body)};
        }
        hold_against_document(method, path, reply);
        return reply;
    }

    using kit_scene::ask;

    seen_reply get(std::string target, std::string who = "ann") {
        return ask(request(http_method::get, std::move(target), std::move(who)));
    }

    seen_reply post(std::string target, std::string body, std::string who = "ann") {
        return ask(request(http_method::post, std::move(target), std::move(who), std::move(body)));
    }

    seen_reply put(std::string target, std::string body, std::string who = "ann") {
        return ask(request(http_method::put, std::move(target), std::move(who), std::move(body)));
    }

    seen_reply patch(std::string target, std::string body, std::string who = "ann") {
        return ask(request(http_method::patch, std::move(target), std::move(who), std::move(body)));
    }

    seen_reply erase(std::string target, std::string who = "ann") {
        return ask(request(http_method::delete_, std::move(target), std::move(who)));
    }

    /// A room of ann's, with the id `r` and the channels `web` and `phone`; bob is a member.
    void make_room(std::string id = "r") {
        const seen_reply made = post(
            "/api/v1/rooms",
            R"({"id":")" + id +
                R"(","name":"Kitchen","channels":[{"channel_id":"web"},{"channel_id":"phone"}],)"
                R"("participants":[{"id":"bob","display_name":"Bob"}]})"
        );
        EXPECT_EQ(made.status, 201) << made.body;
    }

    /// Ann, or somebody, says something in room `r`.
    seen_reply say(std::string text, std::string who = "ann") {
        return post(
            "/api/v1/rooms/r/events",
            R"({"content":{"type":"text","body":")" + std::move(text) + R"("}})",
            std::move(who)
        );
    }

    /// What is stored in room `r` of an organisation.
    [[nodiscard]] std::vector<room_event> timeline_of(std::string organization) {
        ops::list_events all;
        all.organization = organization_id{std::move(organization)};
        all.room = room_id{"r"};
        all.limit = 1000;
        return ask(all);
    }

    known_callers callers;
    inbox_feed inbox;
    secret_box box{deployment_key{}};
    std::unique_ptr<http_surface> surface;

   private:
    /// Every answer of every test is what the document says.
    void hold_against_document(
        http_method method, const std::string& path, const seen_reply& reply
    ) {
        if (method == http_method::head || method == http_method::options) {
            return;
        }
        const route* const asked = surface->routes().find(method, path).found;
        if (reply.header("content-type") == "application/problem+json") {
            EXPECT_TRUE(faults_of(problem_schema(), reply.body, "").empty()) << reply.body;
            EXPECT_EQ(reply.text("status"), std::to_string(reply.status));
            EXPECT_EQ(reply.text("request_id"), reply.header("x-request-id"));
            return;
        }
        ASSERT_NE(asked, nullptr) << path;
        for (const described_answer& described : asked->answers) {
            if (described.status != reply.status) {
                continue;
            }
            const bool is_json = described.media_type == "application/json";
            if (described.body && is_json) {
                for (const field_fault& fault : faults_of(*described.body, reply.body, "")) {
                    ADD_FAILURE() << asked->operation << ": " << fault.field << " is "
                                  << fault.reason << " in " << reply.body;
                }
            }
            return;
        }
        ADD_FAILURE() << asked->operation << " does not describe " << reply.status << ": "
                      << reply.body;
    }
};

}  // namespace convene
