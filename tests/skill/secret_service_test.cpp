// SPDX-License-Identifier: Apache-2.0
// Secrets by name: one value for many skills, read at each pull, opened in its own place only.
#include "skill/secret_service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "skill/secret_seal.hpp"
#include "skill/skill_scene.hpp"

namespace convene {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* first_header = "Authorization: Basic cmVhZGVyOmh1bnRlcjI=";
constexpr const char* second_header = "Authorization: Basic cmVhZGVyOmNoYW5nZWQx";

class SecretService : public skill_scene {
   protected:
    /// A server that knows nobody; what git was given is written down.
    skill_service& start_refused() {
        play_git(
            "env >> '" + path_of("environment") + "'\ncase \"$*\" in *' fetch '*) echo fetch >> '" +
            path_of("fetches") +
            "'; echo 'fatal: Authentication failed for x' >&2; exit 128;; esac\n"
        );
        EXPECT_TRUE(settings_.policy.allow_range("127.0.0.0/8"));
        return start();
    }

    result<ops::put_secret::answer> put(const std::string& name, const std::string& value) {
        secret_service service{{store_.get(), &system_random(), &box_, services_.back().get()}};
        return where_.run_until_done(service.put(secret_name{name}, value, "About it", by()));
    }

    static skill naming(const std::string& secret, const std::string& username = "reader") {
        skill one = wanted("https://127.0.0.1:8443/r");
        one.source.username = username;
        one.source.secret = secret_name{secret};
        return one;
    }

    static given_credentials given(
        std::optional<std::string> password, std::optional<std::string> secret
    ) {
        given_credentials what;
        what.password = std::move(password);
        if (secret) {
            what.secret = secret_name{*secret};
        }
        return what;
    }

    /// The source as a change of it leaves it.
    skill_source changed(
        const skill& one, const std::string& url, const std::string& user, given_credentials how
    ) {
        const auto apply = [url, user](skill& to) {
            to.source.url = url;
            to.source.username = user;
        };
        return must(services_.back()->change(one.id, apply, std::move(how), by())).source;
    }

    named_secret stored(const std::string& name) {
        ops::get_secret request{organization_id{"acme"}, secret_name{name}};
        return must(store_->run(std::move(request)));
    }

    void store(const named_secret& sealed) {
        ops::put_secret request{sealed, {}};
        EXPECT_TRUE(must(store_->run(std::move(request))).stored.secret.name == sealed.name);
    }
};

// One value serves two skills. Another one is used as soon as it is there: who failed without it is pulled again, and git
// is given it as a password is.
// Proves: X3, K1
TEST_F(SecretService, AnotherValueIsPulledWithAtOnce) {
    start_refused();
    EXPECT_TRUE(put("token", "hunter2").value().is_new);
    const skill one = add(naming("token"));
    const skill two = add(naming("token"));
    EXPECT_EQ(one.error, "authentication_failed");
    EXPECT_EQ(two.error, "authentication_failed");
    EXPECT_EQ(text_of("fetches"), "fetch\nfetch\n");
    EXPECT_THAT(text_of("environment"), HasSubstr(first_header));
    EXPECT_THAT(text_of("environment"), Not(HasSubstr(second_header)));
    const auto replaced = put("token", "changed1");
    ASSERT_TRUE(replaced.has_value());
    EXPECT_FALSE(replaced->is_new);
    EXPECT_THAT(replaced->stored.used_by, SizeIs(2));
    EXPECT_GT(pulled_one(one).pulls_wanted, one.pulls_wanted);
    EXPECT_GT(pulled_one(two).pulls_wanted, two.pulls_wanted);
    EXPECT_EQ(text_of("fetches"), "fetch\nfetch\nfetch\nfetch\n");
    EXPECT_THAT(text_of("environment"), HasSubstr(second_header));
    EXPECT_THAT(stored("token").value, Not(HasSubstr("changed1")));
}

// Whoever changes server or user names the secret again, or goes without: it was given for that server.
// Proves: X2, K1
TEST_F(SecretService, GoesToNoOtherServer) {
    start_refused();
    ASSERT_TRUE(put("token", "hunter2").has_value());
    const skill one = add(naming("token"));
    const std::string url = one.source.url;
    EXPECT_EQ(changed(one, url, "reader", {}).secret.str(), "token");
    EXPECT_EQ(changed(one, url + "2", "reader", {}).secret.str(), "");
    EXPECT_EQ(changed(one, url, "reader", given({}, "token")).secret.str(), "token");
    EXPECT_EQ(changed(one, url, "other", {}).secret.str(), "");
    EXPECT_EQ(changed(one, url + "3", "reader", given({}, "token")).secret.str(), "token");
}

// A skill has a password of its own or names a secret; the one takes the place of the other.
// Proves: X3, K1
TEST_F(SecretService, TakesThePlaceOfAPassword) {
    skill_service& service = start_refused();
    ASSERT_TRUE(put("token", "hunter2").has_value());
    const skill one = add(naming(""), "hunter3");
    EXPECT_THAT(one.source.password, Not(IsEmpty()));
    const std::string url = one.source.url;
    skill_source now = changed(one, url, "reader", given({}, "token"));
    EXPECT_EQ(now.secret.str(), "token");
    EXPECT_THAT(now.password, IsEmpty());
    now = changed(one, url, "reader", given("hunter4", {}));
    EXPECT_EQ(now.secret.str(), "");
    EXPECT_THAT(now.password, Not(IsEmpty()));
    const auto refused = where_.run_until_done(service.create(naming("token", ""), {}, by()));
    EXPECT_EQ(refused.error(), errc::invalid_argument);
    const auto unknown = where_.run_until_done(service.create(naming("other"), {}, by()));
    EXPECT_EQ(unknown.error(), errc::invalid_argument);
    EXPECT_EQ(put("No name", "x").error(), errc::invalid_argument);
}

// What was sealed under another key, or for another name, opens for nobody, and the pull says so by its word.
// Proves: X3, K1
TEST_F(SecretService, OpensInItsOwnPlace) {
    start_refused();
    ASSERT_TRUE(put("token", "hunter2").has_value());
    ASSERT_TRUE(put("other", "hunter3").has_value());
    EXPECT_EQ(open_secret(box_, stored("token")).value(), "hunter2");
    named_secret moved = stored("other");
    moved.name = secret_name{"token"};
    store(moved);
    EXPECT_EQ(add(naming("token")).error, "credentials_unreadable");
    const secret_box foreign{deployment_key{1}};
    moved.value = seal_secret(foreign, moved, "hunter2", system_random());
    store(moved);
    EXPECT_EQ(add(naming("token")).error, "credentials_unreadable");
    EXPECT_EQ(text_of("fetches"), "");
}

// No two secrets share a place, whatever an organisation is called.
// Proves: X1, X3
TEST_F(SecretService, OrganisationsShareNoPlace) {
    named_secret one;
    one.organization = organization_id{"a/b"};
    one.name = secret_name{"c"};
    one.value = seal_secret(box_, one, "hunter2", system_random());
    for (const char* other : {"a", "b", "a/", "b/c", "a/b/c", "A/b"}) {
        named_secret copied = one;
        copied.organization = organization_id{other};
        EXPECT_EQ(open_secret(box_, copied).error(), errc::corrupt_data) << other;
    }
    EXPECT_EQ(open_secret(box_, one).value(), "hunter2");
}

// Names are for URLs and lists: one form, and no separator of ours.
// Proves: K1
TEST(SecretName, HasOneForm) {
    for (const std::string& good :
         {std::string{"a"}, std::string{"0.b_c-d"}, std::string(64, 'x')}) {
        EXPECT_TRUE(is_secret_name(good)) << good;
    }
    for (const std::string& bad :
         {std::string{},
          std::string{"-a"},
          std::string{".a"},
          std::string{"A"},
          std::string{"a/b"},
          std::string{"a b"},
          std::string{"\xc3\xa4"},
          std::string(65, 'x')}) {
        EXPECT_FALSE(is_secret_name(bad)) << bad;
    }
}

}  // namespace
}  // namespace convene
