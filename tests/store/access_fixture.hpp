// SPDX-License-Identifier: Apache-2.0
// Organisations, users and secrets for the conformance tests of access control.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "store/conformance.hpp"

namespace convene {

inline organization_id globex() { return organization_id{"globex"}; }

class access_conformance : public conformance {
   protected:
    void SetUp() override {
        add_organization("acme");
        add_organization("globex");
    }

    void add_organization(const std::string& id) {
        must(ops::create_organization{{organization_id{id}, "Name of " + id}, {}, {}});
    }

    static user make_user(
        const std::string& id,
        user_role role = user_role::member,
        organization_id organization = acme()
    ) {
        return {
            .id = user_id{id},
            .organization = std::move(organization),
            .email = id + "@example.com",
            .display_name = "Name of " + id,
            .role = role,
        };
    }

    user add_user(
        const std::string& id,
        user_role role = user_role::member,
        organization_id organization = acme()
    ) {
        return must(ops::create_user{make_user(id, role, std::move(organization)), {}});
    }

    [[nodiscard]] ops::update_user change_of(const std::string& id) {
        return {.organization = acme(), .id = user_id{id}};
    }

    void add_token(
        const std::string& id,
        user_role role = user_role::member,
        const std::string& maker = "",
        std::optional<wall_time> expires_at = std::nullopt
    ) {
        must(ops::create_api_token{token_of(id, role, maker, expires_at), {}});
    }

    static api_token token_of(
        const std::string& id,
        user_role role = user_role::member,
        const std::string& maker = "",
        std::optional<wall_time> expires_at = std::nullopt
    ) {
        return {
            .id = api_token_id{id},
            .organization = acme(),
            .name = "Name of " + id,
            .role = role,
            .hash = secret_hash{"hash-of-" + id},
            .created_by = user_id{maker},
            .expires_at = expires_at,
        };
    }

    [[nodiscard]] bool has_token(const std::string& id) {
        return must(ops::find_api_token{secret_hash{"hash-of-" + id}}).has_value();
    }

    void log_in(
        const std::string& user, const std::string& session, std::chrono::seconds lifetime
    ) {
        must(ops::create_auth_session{
            {.hash = secret_hash{session}, .organization = acme(), .user = user_id{user}},
            lifetime,
            {}
        });
    }

    [[nodiscard]] bool is_logged_in(const std::string& session) {
        return must(ops::find_auth_session{secret_hash{session}}).has_value();
    }

    void add_link(
        const std::string& user,
        const std::string& hash,
        link_kind kind = link_kind::login,
        std::chrono::seconds lifetime = 1h
    ) {
        must(ops::create_link{
            {.hash = secret_hash{hash}, .organization = acme(), .user = user_id{user}, .kind = kind
            },
            lifetime,
            {}
        });
    }

    [[nodiscard]] static ops::consume_link use_of(
        const std::string& hash, link_kind kind = link_kind::login
    ) {
        return {secret_hash{hash}, {kind}, {}, {}};
    }

    [[nodiscard]] bool has_link(const std::string& hash) {
        return must(ops::find_link{secret_hash{hash}}).has_value();
    }
};

}  // namespace convene
