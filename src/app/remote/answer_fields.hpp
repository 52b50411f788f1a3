// SPDX-License-Identifier: Apache-2.0
// The fields of one object in a server's answer, read one after the other; the first fault sticks.
#pragma once

#include "convene/json_text.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/canonical_json.hpp"

namespace convene {

/// Fields that it is not asked for are passed over: a newer server may have more of them. After a fault every
/// answer is an empty value, so that a whole object is read before one test at its end.
///
/// *Lifetime*: the text, which passed the JSON gate, outlives it.
class answer_fields {
   public:
    explicit answer_fields(std::string_view object);

    // Fields that have to be there, of their type.
    [[nodiscard]] std::string text(std::string_view name);
    [[nodiscard]] std::int64_t integer(std::string_view name);
    [[nodiscard]] double number(std::string_view name);
    [[nodiscard]] bool flag(std::string_view name);
    [[nodiscard]] wall_time time(std::string_view name);
    [[nodiscard]] json_text object(std::string_view name);
    [[nodiscard]] std::vector<std::string_view> list(std::string_view name);

    /// A field that is one of the words that `read` knows.
    template <class Word>
    [[nodiscard]] Word word(
        std::string_view name, std::optional<Word> (*read)(std::string_view) noexcept
    ) {
        const std::optional<Word> known = read(text(name));
        if (!known) {
            refuse(name);
        }
        return known.value_or(Word{});
    }

    // Fields that may be left out or `null`.
    [[nodiscard]] std::optional<std::string> optional_text(std::string_view name);
    [[nodiscard]] std::optional<std::int64_t> optional_integer(std::string_view name);
    [[nodiscard]] std::optional<std::vector<std::string_view>> optional_list(std::string_view name);

    /// Something of the object that only the caller can judge is wrong.
    void refuse(std::string_view name);

    /// The first field that was not as it has to be.
    [[nodiscard]] const std::optional<std::string>& fault() const noexcept { return fault_; }

   private:
    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;

    std::vector<json_member> members_;
    std::optional<std::string> fault_;
};

}  // namespace convene
