// SPDX-License-Identifier: Apache-2.0
// How a value of several fields is described.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "support/describe.hpp"

namespace convene {

/// `name{field=value field=value}`.
class described_fields {
   public:
    explicit described_fields(std::string name) : text_(std::move(name) + "{") {}

    template <class T>
    described_fields& add(std::string_view name, const T& value) {
        if (text_.back() != '{') {
            text_ += ' ';
        }
        text_.append(name).append("=").append(describe(value));
        return *this;
    }

    [[nodiscard]] std::string text() { return std::move(text_) + "}"; }

   private:
    std::string text_;
};

}  // namespace convene
