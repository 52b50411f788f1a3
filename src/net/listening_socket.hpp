// SPDX-License-Identifier: Apache-2.0
// A TCP socket that listens: made before its server, so that it can outlive one, or be shared by several processes.
#pragma once

#include "convene/error.hpp"

#include <cstdint>
#include <string>

namespace convene {

/// Connections that nobody has taken yet wait in it, while a server is replaced too. Move-only.
class listening_socket {
   public:
    /// Listens on the first address of `host` (an address of this machine, a name for one; empty: all) that takes it.
    /// Port 0: any that is free. **It blocks** while a name is looked up.
    /// *Errors*: `invalid_argument` (no such address), `io_failed` (the port is taken); logged with the system's reason.
    [[nodiscard]] static result<listening_socket> open(const std::string& host, std::uint16_t port);

    listening_socket(listening_socket&& other) noexcept;
    listening_socket& operator=(listening_socket&&) = delete;
    ~listening_socket();

    /// *Lifetime*: the socket's. It does not block, and closes in programs that are started.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

    [[nodiscard]] std::uint16_t port() const noexcept;

    /// Another descriptor of a socket that listens, to be closed by the caller. *Errors*: `invalid_argument`.
    [[nodiscard]] static result<int> duplicate(int descriptor);

    /// The port that a socket is bound to.
    [[nodiscard]] static std::uint16_t port_of(int descriptor) noexcept;

   private:
    explicit listening_socket(int descriptor) noexcept : descriptor_(descriptor) {}

    int descriptor_;
};

}  // namespace convene
