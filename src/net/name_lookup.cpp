// SPDX-License-Identifier: Apache-2.0
// Looking names up with the system's resolver.
#include "net/name_lookup.hpp"

#include <array>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>

namespace convene {

std::vector<looked_up_address> look_up_host(const std::string& host) {
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0) {
        return {};
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned{found, &::freeaddrinfo};
    std::vector<looked_up_address> addresses;
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        std::array<char, NI_MAXHOST> text{};
        const int failed = ::getnameinfo(
            one->ai_addr, one->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST
        );
        // One with a scope is of this link alone, and no address of a server.
        const std::optional<net_address> address = failed == 0 ? net_address::parse(text.data())
                                                               : std::nullopt;
        if (address) {
            addresses.push_back({*address, text.data()});
        }
    }
    return addresses;
}

}  // namespace convene
