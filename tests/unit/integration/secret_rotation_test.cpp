// SPDX-License-Identifier: Apache-2.0
// Secrets at rest: opened for their own row only, two of them while one is replaced.
#include "integration/secret_rotation.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace convene {
namespace {

using namespace std::chrono_literals;

const wall_time now = parse_rfc3339("2026-01-01T00:00:00Z").value();
const secret_place place{"channels", "c"};

class SecretRotation : public testing::Test {
   protected:
    [[nodiscard]] std::vector<std::string> open(const sealed_secrets& sealed, wall_time at) const {
        std::vector<std::string> texts;
        const auto opened = open_secrets(box_, place, sealed, at);
        EXPECT_TRUE(opened.has_value());
        for (const webhook_secret& one : opened.value()) {
            texts.push_back(one.text());
        }
        return texts;
    }

    secret_box box_{deployment_key{}};
    webhook_secret first_ = webhook_secret::generate(system_random());
    webhook_secret second_ = webhook_secret::generate(system_random());
};

// While a secret is replaced both are good, the newest first; afterwards only that one.
// Proves: X3
TEST_F(SecretRotation, BothAreGoodForAWhile) {
    using texts = std::vector<std::string>;
    const sealed_secrets one = seal_first(box_, place, first_, system_random());
    EXPECT_EQ(open(one, now), texts{first_.text()});
    const sealed_secrets two = rotate(box_, place, one, second_, now + 1h, system_random());
    EXPECT_EQ(open(two, now), (texts{second_.text(), first_.text()}));
    EXPECT_EQ(open(two, now + 1h), texts{second_.text()});
}

// No secret stands in what is stored, and it opens for no other row and under no other key.
// Proves: X3
TEST_F(SecretRotation, OpensForItsOwnRow) {
    const sealed_secrets sealed = seal_first(box_, place, first_, system_random());
    EXPECT_EQ(sealed.current.find(first_.text()), std::string::npos);
    EXPECT_EQ(
        open_secrets(box_, {"channels", "d"}, sealed, now).error(),
        make_error_code(errc::corrupt_data)
    );
    deployment_key other{};
    other[0] = 1;
    EXPECT_EQ(
        open_secrets(secret_box{other}, place, sealed, now).error(),
        make_error_code(errc::corrupt_data)
    );
}

}  // namespace
}  // namespace convene
