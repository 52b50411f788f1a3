// SPDX-License-Identifier: Apache-2.0
// The fields of one object of a line, read one after the other; the first fault sticks.
#pragma once

#include "convene/boundary.hpp"
#include "convene/json_text.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.hpp"

namespace convene {

/// Reads like `object_reader`, but answers an empty value after a fault, so that a whole object is read before
/// one test at its end: `fault()`.
///
/// *Lifetime*: the object and its text outlive it.
class line_fields {
   public:
    /// `text` is the object in canonical spelling. A member that is none of `names` is a fault.
    line_fields(
        const boost::json::object& object,
        std::string_view text,
        std::string path,
        std::initializer_list<std::string_view> names
    );

    [[nodiscard]] std::string id(std::string_view name);
    [[nodiscard]] std::string text(std::string_view name);
    [[nodiscard]] std::string optional_id(std::string_view name);
    [[nodiscard]] std::string optional_text(std::string_view name);
    [[nodiscard]] bool flag(std::string_view name);
    [[nodiscard]] std::optional<std::int64_t> index(std::string_view name);

    /// A field that is one of the words that `read` knows; `otherwise` where it is left out.
    template <class Word>
    [[nodiscard]] Word word(
        std::string_view name, std::optional<Word> (*read)(std::string_view), Word otherwise
    ) {
        const std::optional<std::string_view> text = take(fields_.optional_text(name));
        if (!text) {
            return otherwise;
        }
        const std::optional<Word> known = read(*text);
        if (!known) {
            refuse(name, boundary_reason::unknown_value);
        }
        return known.value_or(otherwise);
    }

    /// An object as it is spelled; empty where it is left out.
    [[nodiscard]] json_text object(std::string_view name);

    /// Null where the array is left out.
    [[nodiscard]] const boost::json::array* array(std::string_view name);

    /// A member as it is spelled.
    [[nodiscard]] std::optional<std::string_view> spelled(std::string_view name) const;

    [[nodiscard]] std::string path_of(std::string_view name) const { return fields_.path_of(name); }

    void refuse(std::string_view name, boundary_reason reason);
    void refuse(boundary_error error);

    /// The value, or an empty one and a fault.
    template <class T>
    T take(checked<T> read) {
        if (read) {
            return std::move(*read);
        }
        refuse(read.error());
        return T{};
    }

    [[nodiscard]] const std::optional<boundary_error>& fault() const noexcept { return fault_; }

   private:
    const boost::json::object& object_;
    const std::string_view text_;
    const object_reader fields_;
    std::optional<boundary_error> fault_;
};

}  // namespace convene
