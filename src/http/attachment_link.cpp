// SPDX-License-Identifier: Apache-2.0
// Signing links with the key that lies beside the bytes: whoever could read it could read them.
#include "http/attachment_link.hpp"

#include "access/secret_token.hpp"
#include "base/hash.hpp"
#include "base/hmac.hpp"
#include "http/uri.hpp"

namespace convene {

namespace {

// Frozen: links outlive a change of the program.
constexpr std::string_view purpose = "convene attachment 1";

std::string signature_of(const attachment& shown, std::int64_t expires) {
    std::string said{purpose};
    said += '\n' + shown.id.str() + '\n' + std::to_string(expires);
    return to_hex(hmac_sha256(shown.link_key, said));
}

}  // namespace

std::string signed_path(const attachment& shown, wall_time expires_at) {
    const std::int64_t expires = std::chrono::duration_cast<seconds>(expires_at.time_since_epoch())
                                     .count();
    return "/api/v1/attachments/" + percent_encode(shown.id.str()) +
           "/content?expires=" + std::to_string(expires) +
           "&signature=" + signature_of(shown, expires);
}

bool is_signature(const attachment& shown, std::int64_t expires, std::string_view signature) {
    return is_equal_secret(signature, signature_of(shown, expires));
}

}  // namespace convene
