// SPDX-License-Identifier: Apache-2.0
// Headers and secrets of webhooks from bytes: nobody without the secret is believed, and what we sign is, unchanged only.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.hpp"
#include "webhook/signature.hpp"

namespace {

using namespace convene;

constexpr wall_time now{seconds{1'767'225'600}};

std::string_view take_line(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line;
}

const std::vector<webhook_secret>& our_secrets() {
    static const std::vector<webhook_secret> secrets{
        webhook_secret::generate(system_random()), webhook_secret::generate(system_random())
    };
    return secrets;
}

void check_secret(std::string_view text) {
    if (const std::optional<webhook_secret> secret = webhook_secret::parse(text)) {
        CONVENE_ASSERT(secret->text() == text, "a secret has two spellings");
    }
}

void check_signed(const std::string& body) {
    const webhook_headers headers = sign_webhook("id", now, body, our_secrets());
    CONVENE_ASSERT(
        !refusal_of_webhook(headers, body, our_secrets(), now), "what we signed is not believed"
    );
    CONVENE_ASSERT(
        refusal_of_webhook(headers, body + ' ', our_secrets(), now) ==
            webhook_refusal::wrong_signature,
        "a changed body is believed"
    );
    webhook_headers moved = headers;
    moved.timestamp = std::to_string(now.time_since_epoch() / seconds{1} + 1);
    CONVENE_ASSERT(
        refusal_of_webhook(moved, body, our_secrets(), now) == webhook_refusal::wrong_signature,
        "a changed time is believed"
    );
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes{data, data + size};
    std::string_view rest = bytes;
    const webhook_headers headers{
        .id = std::string{take_line(rest)},
        .timestamp = std::string{take_line(rest)},
        .signature = std::string{take_line(rest)},
    };
    // The secrets are made in this process: nobody's bytes hold a signature of theirs.
    CONVENE_ASSERT(
        refusal_of_webhook(headers, rest, our_secrets(), now).has_value(), "a stranger is believed"
    );
    check_secret(headers.id);
    check_signed(std::string{rest});
    return 0;
}
