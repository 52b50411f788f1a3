// SPDX-License-Identifier: Apache-2.0
// Access control over HTTP: logging in with a browser's cookie, tokens, users, and what others may not see.
#include "http/resource/access_routes.hpp"

#include "convene/loop.hpp"
#include "convene/memory_store.hpp"
#include "convene/room_kit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "access/access_service.hpp"
#include "http/access_authenticator.hpp"
#include "http/surface.hpp"
#include "support/manual_wall_clock.hpp"
#include "unit/http/seen_reply.hpp"

namespace convene {

namespace {

using testing::HasSubstr;
using testing::Not;

const std::string good_password = "correct horse battery staple";

/// A browser: it keeps its cookie and sends the CSRF value it was given.
struct browser {
    std::string cookie;
    std::string csrf;
};

class AccessRoutes : public testing::Test {
   protected:
    AccessRoutes() {
        room_kit_parts parts;
        parts.where = &loop_;
        parts.store = store_.get();
        parts.locks = locks_.get();
        parts.clock = &clock_;
        kit_ = std::make_unique<room_kit>(parts, room_kit_settings{});
        http_surface_parts surface;
        surface.kit = kit_.get();
        surface.who = &who_;
        surface.clock = &clock_;
        surface_ = std::make_unique<http_surface>(
            std::move(surface), rate_limits{{1000, 1000}, {1000, 1000}}
        );
        for (route& one : access_routes({.service = &service_})) {
            surface_->routes().add(std::move(one));
        }
        run(service_.bootstrap()).value();
    }

    ~AccessRoutes() override { loop_.run_until_done(kit_->close()); }

    template <class T>
    T run(awaitable<T> work) {
        return loop_.run_until_done(std::move(work));
    }

    static http_request request(http_method method, std::string path, std::string body = {}) {
        http_request asked;
        asked.method = method;
        asked.path = "/api/v1/" + std::move(path);
        asked.peer = "192.0.2.1";
        if (!body.empty()) {
            asked.headers.add("content-type", "application/json");
        }
        asked.body = std::move(body);
        return asked;
    }

    seen_reply ask(http_request asked) {
        http_answer answered = run(surface_->front().answer(std::move(asked)));
        auto& whole = std::get<http_response>(answered);
        return {whole.status, std::move(whole.headers), std::move(whole.body)};
    }

    seen_reply ask_as(const browser& from, http_request asked) {
        asked.headers.add("cookie", "theme=dark; " + from.cookie);
        asked.headers.add("x-csrf-token", from.csrf);
        return ask(std::move(asked));
    }

    seen_reply ask_with(const std::string& token, http_request asked) {
        asked.headers.add("authorization", "Bearer " + token);
        return ask(std::move(asked));
    }

    static browser opened(const seen_reply& login) {
        const std::string cookie = login.header("set-cookie");
        return {cookie.substr(0, cookie.find(';')), login.text("csrf_token")};
    }

    static std::string token_in(const std::string& link) {
        return link.substr(link.find("#link=") + 6);
    }

    /// The admin of a fresh store, who came by the link that is printed.
    browser admin() {
        const made_link link = run(service_.make_login_link()).value();
        const seen_reply login = ask(
            request(http_method::post, "auth/login", R"({"link_token":")" + link.token + R"("})")
        );
        EXPECT_EQ(login.status, 200) << login.body;
        return opened(login);
    }

    /// Invites somebody; answers the whole reply.
    seen_reply invite(
        const browser& by, const std::string& email, const std::string& role = "member"
    ) {
        return ask_as(
            by,
            request(
                http_method::post,
                "users",
                R"({"email":")" + email + R"(","display_name":"Name","role":")" + role + R"("})"
            )
        );
    }

    seen_reply use_password(const std::string& link) {
        return ask(request(
            http_method::post,
            "auth/password",
            R"({"link_token":")" + token_in(link) + R"(","password":")" + good_password + R"("})"
        ));
    }

    browser join(const browser& by, const std::string& email, const std::string& role = "member") {
        const seen_reply set = use_password(invite(by, email, role).text("link"));
        EXPECT_EQ(set.status, 200) << set.body;
        return opened(set);
    }

    seen_reply log_in(const std::string& email, const std::string& password) {
        return ask(request(
            http_method::post,
            "auth/login",
            R"({"email":")" + email + R"(","password":")" + password + R"("})"
        ));
    }

    /// The first organisation's admin, for the service.
    signed_in first_admin() {
        signed_in who;
        who.organization = service_.settings().first_organization;
        who.role = user_role::admin;
        return who;
    }

    seen_reply make_token(const browser& by, const std::string& role) {
        return ask_as(
            by, request(http_method::post, "tokens", R"({"name":"ci","role":")" + role + R"("})")
        );
    }

    manual_wall_clock clock_;
    loop loop_;
    std::unique_ptr<conversation_store> store_ = make_memory_store(clock_);
    std::unique_ptr<lock_manager> locks_ = make_in_memory_lock_manager(loop_);
    password_hasher passwords_{system_random(), {.cost = {.log2_n = 4}}};
    access_service service_{
        {.where = &loop_,
         .store = store_.get(),
         .clock = &clock_,
         .random = &system_random(),
         .passwords = &passwords_}
    };
    access_authenticator who_{service_};
    std::unique_ptr<room_kit> kit_;
    std::unique_ptr<http_surface> surface_;
};

// The way of a new person: an invitation, a password, a session that the cookie carries, and out.
// Proves: X1
TEST_F(AccessRoutes, LeadAPersonInAndOut) {
    const browser by = admin();
    const seen_reply invited = invite(by, "ann@example.com", "operator");
    EXPECT_EQ(invited.status, 201) << invited.body;
    EXPECT_EQ(invited.text("user", "email"), "ann@example.com");
    EXPECT_EQ(invited.text("user", "has_password"), "false");
    EXPECT_THAT(invited.text("link"), HasSubstr("/login#link=cvl_"));

    const std::string token = token_in(invited.text("link"));
    const seen_reply early = ask(
        request(http_method::post, "auth/login", R"({"link_token":")" + token + R"("})")
    );
    EXPECT_EQ(early.status, 409);
    EXPECT_EQ(early.text("code"), "PASSWORD_NEEDED");

    const seen_reply set = use_password(invited.text("link"));
    EXPECT_EQ(set.status, 200) << set.body;
    EXPECT_THAT(set.header("set-cookie"), HasSubstr("; HttpOnly; SameSite=Lax"));
    EXPECT_THAT(set.header("set-cookie"), Not(HasSubstr("Secure")));
    EXPECT_EQ(use_password(invited.text("link")).status, 401);

    const seen_reply login = log_in("ann@example.com", good_password);
    EXPECT_EQ(login.status, 200) << login.body;
    const browser ann = opened(login);
    const seen_reply me = ask_as(ann, request(http_method::get, "auth/me"));
    EXPECT_EQ(me.body, login.body);
    EXPECT_EQ(me.text("user", "role"), "operator");
    EXPECT_EQ(me.text("organization", "id"), "default");

    const seen_reply out = ask_as(ann, request(http_method::post, "auth/logout"));
    EXPECT_EQ(out.status, 204);
    EXPECT_THAT(out.header("set-cookie"), HasSubstr("Max-Age=0"));
    EXPECT_EQ(ask_as(ann, request(http_method::get, "auth/me")).status, 401);
}

// Over TLS the cookie is only for TLS.
// Proves: X1, X3
TEST_F(AccessRoutes, BindTheCookieToTls) {
    const made_link link = run(service_.make_login_link()).value();
    http_request asked = request(
        http_method::post, "auth/login", R"({"link_token":")" + link.token + R"("})"
    );
    asked.is_secure = true;
    EXPECT_THAT(ask(std::move(asked)).header("set-cookie"), HasSubstr("; Secure"));
}

// Without its CSRF value a browser changes nothing; reading needs none, and tokens need none.
// Proves: X1
TEST_F(AccessRoutes, DemandTheCsrfValue) {
    browser by = admin();
    const seen_reply token = make_token(by, "admin");
    ASSERT_EQ(token.status, 201) << token.body;
    by.csrf = "";
    EXPECT_EQ(invite(by, "ann@example.com").status, 403);
    by.csrf = "wrong";
    EXPECT_EQ(ask_as(by, request(http_method::post, "auth/logout")).status, 403);
    EXPECT_EQ(ask_as(by, request(http_method::get, "auth/me")).status, 200);
    const seen_reply by_token = ask_with(
        token.text("token"),
        request(
            http_method::post,
            "users",
            R"({"email":"ann@example.com","display_name":"Ann","role":"member"})"
        )
    );
    EXPECT_EQ(by_token.status, 201) << by_token.body;
}

// A wrong password and an unknown email are one answer; too many tries say how long to wait.
// Proves: X1, X3
TEST_F(AccessRoutes, RefuseGuesses) {
    join(admin(), "ann@example.com");
    seen_reply wrong = log_in("ann@example.com", "a wrong password");
    const seen_reply unknown = log_in("bob@example.com", "a wrong password");
    EXPECT_EQ(wrong.status, 401);
    EXPECT_EQ(wrong.text("code"), "BAD_CREDENTIALS");
    EXPECT_EQ(wrong.text("detail"), unknown.text("detail"));
    EXPECT_EQ(wrong.header("set-cookie"), "");
    for (int i = 0; i < 20 && wrong.status == 401; ++i) {
        wrong = log_in("ann@example.com", "a wrong password");
    }
    EXPECT_EQ(wrong.status, 429);
    EXPECT_EQ(wrong.text("code"), "TOO_MANY_ATTEMPTS");
    EXPECT_GE(std::stoi(wrong.header("retry-after")), 1);
}

// A field at fault is named.
// Proves: X1, R16
TEST_F(AccessRoutes, NameWhatIsWrong) {
    const browser by = admin();
    const seen_reply email = invite(by, "no email");
    EXPECT_EQ(email.status, 422);
    EXPECT_THAT(email.body, HasSubstr(R"({"field":"email","reason":"malformed"})"));
    const std::string link = token_in(invite(by, "ann@example.com").text("link"));
    const seen_reply password = ask(request(
        http_method::post, "auth/password", R"({"link_token":")" + link + R"(","password":"short"})"
    ));
    EXPECT_EQ(password.status, 422);
    EXPECT_THAT(password.body, HasSubstr(R"({"field":"password","reason":"too_short"})"));
    EXPECT_EQ(invite(by, "ANN@example.com").status, 409);
    EXPECT_EQ(ask(request(http_method::post, "auth/login", R"({"email":"a@b"})")).status, 422);
    EXPECT_EQ(ask(request(http_method::post, "auth/login", "{}")).status, 422);
}

// Members see and change no users or tokens; operators see users.
// Proves: X1
TEST_F(AccessRoutes, KeepToRoles) {
    const browser by = admin();
    const browser ann = join(by, "ann@example.com");
    const browser olga = join(by, "olga@example.com", "operator");
    EXPECT_EQ(ask_as(ann, request(http_method::get, "users")).status, 403);
    EXPECT_EQ(ask_as(olga, request(http_method::get, "users")).status, 200);
    for (const browser& low : {ann, olga}) {
        EXPECT_EQ(invite(low, "x@example.com").status, 403);
        EXPECT_EQ(make_token(low, "member").status, 403);
        EXPECT_EQ(ask_as(low, request(http_method::get, "tokens")).status, 403);
        EXPECT_EQ(ask_as(low, request(http_method::get, "admin/audit")).status, 403);
        EXPECT_EQ(ask_as(low, request(http_method::get, "organization")).status, 200);
    }
}

// A deactivated user's very next request is refused, and so are the tokens they made.
// Proves: X1, R18
TEST_F(AccessRoutes, EndAccessAtOnce) {
    const browser by = admin();
    const browser ann = join(by, "ann@example.com", "admin");
    const seen_reply me = ask_as(ann, request(http_method::get, "auth/me"));
    const std::string token = make_token(ann, "member").text("token");
    EXPECT_EQ(ask_with(token, request(http_method::get, "auth/me")).text("user"), "null");

    const std::string path = "users/" + me.text("user", "id");
    const seen_reply retired = ask_as(
        by, request(http_method::patch, path, R"({"is_active":false})")
    );
    EXPECT_EQ(retired.text("is_active"), "false");
    EXPECT_EQ(ask_as(ann, request(http_method::get, "auth/me")).status, 401);
    EXPECT_EQ(ask_with(token, request(http_method::get, "auth/me")).status, 401);
    EXPECT_EQ(ask_as(by, request(http_method::post, path + "/reset")).status, 404);
}

// The last admin stays.
// Proves: X1
TEST_F(AccessRoutes, KeepTheLastAdmin) {
    const browser by = admin();
    const std::string id = ask_as(by, request(http_method::get, "auth/me")).text("user", "id");
    const seen_reply refused = ask_as(
        by, request(http_method::patch, "users/" + id, R"({"role":"member"})")
    );
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(refused.text("code"), "LAST_ADMIN");
}

// Ids of another organisation are not there.
// Proves: X1
TEST_F(AccessRoutes, HideOtherOrganizations) {
    ops::create_organization creation;
    creation.organization.id = organization_id{"globex"};
    user eve;
    eve.id = user_id{"eve"};
    eve.email = "eve@example.com";
    eve.role = user_role::admin;
    creation.first_user = eve;
    run(store_->run(creation)).value();
    api_token token;
    token.id = api_token_id{"of-globex"};
    token.organization = organization_id{"globex"};
    token.hash = secret_hash{"hash"};
    ops::create_api_token addition{token, {}};
    run(store_->run(addition)).value();

    const browser by = admin();
    const seen_reply changed = ask_as(
        by, request(http_method::patch, "users/eve", R"({"is_active":false})")
    );
    EXPECT_EQ(changed.status, 404);
    EXPECT_EQ(ask_as(by, request(http_method::post, "users/eve/reset")).status, 404);
    EXPECT_EQ(ask_as(by, request(http_method::delete_, "tokens/of-globex")).status, 404);
    EXPECT_THAT(ask_as(by, request(http_method::get, "users")).body, Not(HasSubstr("eve")));
    EXPECT_EQ(ask_as(by, request(http_method::get, "tokens")).body, R"({"tokens":[]})");
}

// A token's text is in the answer that made it and in no other; no answer has a hash.
// Proves: X1, X3
TEST_F(AccessRoutes, ShowSecretsOnce) {
    const browser by = admin();
    const seen_reply made = make_token(by, "operator");
    EXPECT_THAT(made.text("token"), HasSubstr("cvt_"));
    EXPECT_EQ(made.header("cache-control"), "no-store");
    join(by, "ann@example.com");
    for (const char* path : {"tokens", "users", "admin/audit", "auth/me"}) {
        const seen_reply listed = ask_as(by, request(http_method::get, path));
        EXPECT_EQ(listed.status, 200) << listed.body;
        EXPECT_THAT(listed.body, Not(HasSubstr("cvt_"))) << path;
        EXPECT_THAT(listed.body, Not(HasSubstr("cvl_"))) << path;
        EXPECT_THAT(listed.body, Not(HasSubstr("cvs_"))) << path;
        EXPECT_THAT(listed.body, Not(HasSubstr("scrypt"))) << path;
    }
    EXPECT_EQ(ask_as(by, request(http_method::delete_, "tokens/" + made.text("id"))).status, 204);
    EXPECT_EQ(ask_with(made.text("token"), request(http_method::get, "auth/me")).status, 401);
}

// A session that is used gets its cookie again, once an hour.
// Proves: X1
TEST_F(AccessRoutes, ProlongTheSession) {
    const browser by = admin();
    EXPECT_EQ(ask_as(by, request(http_method::get, "auth/me")).header("set-cookie"), "");
    // What this process remembers is dropped, as time would do.
    service_.who().forget_all();
    clock_.advance(std::chrono::hours{2});
    const seen_reply later = ask_as(by, request(http_method::get, "auth/me"));
    EXPECT_THAT(later.header("set-cookie"), HasSubstr(by.cookie + "; Path=/"));
}

// Pages of users lead on from one to the next; what is no cursor is refused.
// Proves: X1
TEST_F(AccessRoutes, PageUsers) {
    const browser by = admin();
    invite(by, "ann@example.com");
    invite(by, "bob@example.com");
    http_request first = request(http_method::get, "users");
    first.query = "limit=2";
    const seen_reply page = ask_as(by, first);
    http_request second = request(http_method::get, "users");
    second.query = "limit=2&cursor=" + page.text("next_cursor");
    const seen_reply rest = ask_as(by, second);
    EXPECT_THAT(rest.body, HasSubstr("bob@example.com"));
    EXPECT_EQ(rest.text("next_cursor"), "null");
    second.query = "cursor=nonsense";
    EXPECT_EQ(ask_as(by, second).status, 422);
}

// Every answer is what the document says of it.
// Proves: X1
TEST_F(AccessRoutes, AnswerWhatTheDocumentSays) {
    const browser by = admin();
    make_token(by, "member");
    for (const char* path : {"auth/me", "users", "tokens", "organization", "admin/audit"}) {
        const std::string whole = std::string{"/api/v1/"} + path;
        const route* const asked = surface_->routes().find(http_method::get, whole).found;
        ASSERT_NE(asked, nullptr) << path;
        const seen_reply answer = ask_as(by, request(http_method::get, path));
        for (const field_fault& fault : faults_of(*asked->answers.front().body, answer.body, "")) {
            ADD_FAILURE() << path << ": " << fault.field << " is " << fault.reason;
        }
    }
}

// Whoever came by the printed link sets a first password without another proof; from then on the old one is needed.
// Other sessions end.
// Proves: X1
TEST_F(AccessRoutes, APersonSetsTheirPassword) {
    const browser by = admin();
    const browser elsewhere = admin();
    const auto change = [&](const browser& from, const std::string& body) {
        return ask_as(from, request(http_method::post, "auth/me/password", body));
    };
    EXPECT_EQ(change(by, R"({"password":"short"})").status, 422);
    const seen_reply set = change(by, R"({"password":")" + good_password + R"("})");
    ASSERT_EQ(set.status, 200) << set.body;
    const browser now = opened(set);
    EXPECT_EQ(ask_as(now, request(http_method::get, "auth/me")).status, 200);
    EXPECT_EQ(ask_as(by, request(http_method::get, "auth/me")).status, 401);
    EXPECT_EQ(ask_as(elsewhere, request(http_method::get, "auth/me")).status, 401);
    EXPECT_EQ(log_in("admin@localhost", good_password).status, 200);

    const std::string other = R"("password":"another long password")";
    EXPECT_EQ(change(now, "{" + other + "}").text("code"), "BAD_CREDENTIALS");
    EXPECT_EQ(
        change(now, R"({"current_password":")" + good_password + R"(",)" + other + "}").status, 200
    );
    EXPECT_EQ(log_in("admin@localhost", good_password).status, 401);
    const browser in = opened(log_in("admin@localhost", "another long password"));
    const std::string token = make_token(in, "admin").text("token");
    const seen_reply refused = ask_with(
        token, request(http_method::post, "auth/me/password", "{" + other + "}")
    );
    EXPECT_EQ(refused.status, 403);
}

// With a key a token and an invitation are made once; their secrets are not kept, and the repetition says how to get
// another.
// Proves: R8, X3
TEST_F(AccessRoutes, AKeyMakesOneSecret) {
    const browser by = admin();
    const auto keyed = [&](std::string path, std::string body, std::string key) {
        http_request asked = request(http_method::post, std::move(path), std::move(body));
        asked.headers.add("idempotency-key", std::move(key));
        return ask_as(by, std::move(asked));
    };
    const std::string token = R"({"name":"ci","role":"member"})";
    const seen_reply first = keyed("tokens", token, "k");
    ASSERT_EQ(first.status, 201);
    const seen_reply again = keyed("tokens", token, "k");
    EXPECT_EQ(again.text("code"), "SECRET_SHOWN_ONCE");
    EXPECT_THAT(again.body, HasSubstr(first.text("id")));
    EXPECT_THAT(again.body, Not(HasSubstr(first.text("token"))));
    EXPECT_EQ(
        keyed("tokens", R"({"name":"cd","role":"member"})", "k").text("code"),
        "IDEMPOTENCY_KEY_REUSED"
    );
    EXPECT_EQ(run(service_.list_tokens({first_admin()})).value().size(), 1u);

    const std::string user = R"({"email":"a@example.com","display_name":"A","role":"member"})";
    EXPECT_EQ(
        keyed("users", R"({"email":"x","display_name":"A","role":"member"})", "u").status, 422
    );
    EXPECT_EQ(keyed("users", user, "u").status, 201) << "what was refused is not remembered";
    EXPECT_EQ(keyed("users", user, "u").text("code"), "SECRET_SHOWN_ONCE");
    EXPECT_EQ(keyed("users", user, "v").text("code"), "ALREADY_EXISTS");
}

// Admins of the first organisation found others, which are strangers to each other, and erase them; nobody of an erased
// one is let in any more.
// Proves: R20, X1
TEST_F(AccessRoutes, OrganizationsComeAndGo) {
    const browser by = admin();
    const seen_reply founded = ask_as(
        by,
        request(
            http_method::post,
            "organizations",
            R"({"name":"Globex","admin_email":"eve@example.com","admin_name":"Eve"})"
        )
    );
    ASSERT_EQ(founded.status, 201) << founded.body;
    const std::string id = founded.text("organization", "id");
    const browser eve = opened(use_password(founded.text("link")));
    EXPECT_EQ(ask_as(eve, request(http_method::get, "organization")).text("name"), "Globex");
    EXPECT_EQ(ask_as(eve, request(http_method::get, "organizations")).status, 403);
    EXPECT_THAT(ask_as(by, request(http_method::get, "organizations")).body, HasSubstr(id));

    const auto erase = [&](const browser& from, const std::string& one, const std::string& confirm
                       ) {
        http_request asked = request(http_method::delete_, "organizations/" + one);
        asked.query = "confirm=" + confirm;
        return ask_as(from, std::move(asked));
    };
    EXPECT_EQ(erase(eve, "default", "default").status, 404);
    EXPECT_EQ(erase(by, "default", "default").text("code"), "FIRST_ORGANIZATION");
    EXPECT_EQ(erase(by, id, "yes").status, 422);
    EXPECT_EQ(erase(by, id, id).status, 202);
    EXPECT_EQ(ask_as(eve, request(http_method::get, "auth/me")).status, 401);
    EXPECT_EQ(log_in("eve@example.com", good_password).status, 401);
    EXPECT_EQ(erase(by, id, id).status, 404);
}

}  // namespace

}  // namespace convene
