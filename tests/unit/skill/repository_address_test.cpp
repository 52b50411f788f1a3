// SPDX-License-Identifier: Apache-2.0
// Which URLs are repositories.
#include "skill/repository_address.hpp"

#include <gtest/gtest.h>

#include <string>

namespace convene {
namespace {

checked<repository_address> parse(
    const std::string& url, local_repositories local = local_repositories::refused
) {
    return parse_repository_url(url, local, "url");
}

// Host and port are what git will connect to.
// Proves: K1, X2
TEST(RepositoryAddress, HasHostAndPort) {
    const auto plain = parse("https://git.example.com/team/skills.git");
    ASSERT_TRUE(plain.has_value());
    EXPECT_EQ(plain->host, "git.example.com");
    EXPECT_EQ(plain->port, "443");
    const auto with_port = parse("https://10.0.0.1:8443/r");
    ASSERT_TRUE(with_port.has_value());
    EXPECT_EQ(with_port->host, "10.0.0.1");
    EXPECT_EQ(with_port->port, "8443");
    const auto six = parse("https://[::1]:8443/r");
    ASSERT_TRUE(six.has_value());
    EXPECT_EQ(six->host, "::1");
    EXPECT_EQ(six->port, "8443");
}

// Everything that git could take for something else, or that holds a secret, is refused.
// Proves: K1, X2
TEST(RepositoryAddress, RefusesTheRest) {
    for (const char* url : {
             "",
             "http://example.com/r",
             "ssh://git@example.com/r",
             "git@example.com:r",
             "ext::sh -c evil",
             "-uevil",
             "/etc",
             "file:///srv/r",
             "https://user:password@example.com/r",
             "https://user@example.com/r",
             "https:///r",
             "https://:443/r",
             "https://example.com:0/r",
             "https://example.com:99999/r",
             "https://example.com:8x/r",
             "https://example.com/r?token=x",
             "https://example.com/r#x",
             "https://example.com\\@evil/r",
             "https://exa mple.com/r",
             "https://-evil/r",
             "https://[::1/r",
             "https://[evil]/r",
             "https://example.com/r\n",
         }) {
        EXPECT_FALSE(parse(url).has_value()) << url;
    }
    EXPECT_FALSE(parse("https://e.com/" + std::string(3000, 'x')).has_value());
}

// A folder of this machine is one only where the operator says so.
// Proves: K1, X2
TEST(RepositoryAddress, IsLocalOnlyWhereAllowed) {
    const auto local = parse("file:///srv/skills", local_repositories::allowed);
    ASSERT_TRUE(local.has_value());
    EXPECT_TRUE(local->is_local());
    EXPECT_FALSE(parse("file://host/srv", local_repositories::allowed).has_value());
}

}  // namespace
}  // namespace convene
