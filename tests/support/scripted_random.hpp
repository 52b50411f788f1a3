// SPDX-License-Identifier: Apache-2.0
// A random source that gives the bytes of a script, again and again.
#pragma once

#include "convene/random.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace convene {

class scripted_random final : public random_source {
   public:
    /// *Requires*: `script` is not empty.
    explicit scripted_random(std::vector<std::uint8_t> script) : script_(std::move(script)) {}

    void fill(std::span<std::uint8_t> bytes) override {
        for (std::uint8_t& byte : bytes) {
            byte = script_[given_++ % script_.size()];
        }
    }

    /// How many bytes were asked for so far.
    [[nodiscard]] std::size_t given() const noexcept { return given_; }

   private:
    std::vector<std::uint8_t> script_;
    std::size_t given_ = 0;
};

}  // namespace convene
