// SPDX-License-Identifier: Apache-2.0
// Hashing beside the loop: correct, bounded, and refused when there is too much of it.
#include "access/password_hasher.hpp"

#include "convene/loop.hpp"
#include "convene/task_scope.hpp"

#include <gtest/gtest.h>

#include <string>

namespace convene {

namespace {

class PasswordHasher : public testing::Test {
   protected:
    struct tally {
        int answered = 0;
        int refused = 0;
    };

    static awaitable<void> verify_one(password_hasher* hasher, tally* into) {
        const result<bool> answer = co_await hasher->verify("a wrong password", "");
        if (answer) {
            ++into->answered;
        } else if (answer.error() == errc::overloaded) {
            ++into->refused;
        }
    }

    static awaitable<tally> verify_many(password_hasher* hasher, executor* where, int count) {
        tally counted;
        task_scope scope{*where};
        for (int i = 0; i < count; ++i) {
            scope.spawn("verify", verify_one(hasher, &counted));
        }
        co_await scope.join();
        co_return counted;
    }

    loop loop_;
};

// What was hashed is verified; two hashes of one password differ.
// Proves: X1
TEST_F(PasswordHasher, VerifiesWhatItHashed) {
    password_hasher hasher{system_random(), {.cost = {.log2_n = 4}}};
    const std::string first = loop_.run_until_done(hasher.hash("a good password")).value();
    const std::string second = loop_.run_until_done(hasher.hash("a good password")).value();
    EXPECT_NE(first, second);
    EXPECT_TRUE(loop_.run_until_done(hasher.verify("a good password", first)).value());
    EXPECT_TRUE(loop_.run_until_done(hasher.verify("a good password", second)).value());
    EXPECT_FALSE(loop_.run_until_done(hasher.verify("a bad password", first)).value());
    EXPECT_FALSE(loop_.run_until_done(hasher.verify("a good password", "")).value());
    EXPECT_EQ(hasher.runs(), 6u);
}

// A storm of logins is answered or refused; what waits is bounded, and afterwards all is well.
// Proves: X3
TEST_F(PasswordHasher, RefusesAStorm) {
    password_hasher hasher{system_random(), {.cost = {.log2_n = 12}, .threads = 1, .waiting = 2}};
    const tally counted = loop_.run_until_done(verify_many(&hasher, &loop_, 100));
    EXPECT_EQ(counted.answered + counted.refused, 100);
    EXPECT_GE(counted.answered, 2);
    EXPECT_GT(counted.refused, 0);
    EXPECT_TRUE(loop_.run_until_done(hasher.hash("a good password")));
}

}  // namespace

}  // namespace convene
