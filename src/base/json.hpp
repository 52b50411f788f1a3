// SPDX-License-Identifier: Apache-2.0
// Reading JSON from outside: a document that passed the gate, and its fields with errors that name
// them.
#pragma once

#include "convene/boundary.hpp"
#include "convene/json_text.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace convene {

// One value at `path`, as the type its field wants. A text that is given back lives as long as the
// value.

checked<std::string_view> read_text(
    const boost::json::value& value, std::string_view path, const boundary_limits& limits = {}
);
checked<std::string_view> read_id(
    const boost::json::value& value, std::string_view path, const boundary_limits& limits = {}
);
checked<bool> read_boolean(const boost::json::value& value, std::string_view path);

struct integer_range {
    std::int64_t min;
    std::int64_t max;
};

checked<std::int64_t> read_integer(
    const boost::json::value& value, std::string_view path, integer_range range
);

struct number_range {
    double min;
    double max;
};

checked<double> read_number(
    const boost::json::value& value, std::string_view path, number_range range
);

/// The fields of one object. A member that is `null` counts as absent.
///
/// *Lifetime*: the object outlives the reader and the texts it gives.
class object_reader {
   public:
    object_reader(const boost::json::object& object, std::string path)
        : object_(object), path_(std::move(path)) {}

    checked<std::string_view> text(std::string_view name) const;
    checked<std::string_view> id(std::string_view name) const;
    checked<std::optional<std::string_view>> optional_text(std::string_view name) const;
    checked<std::optional<std::string_view>> optional_id(std::string_view name) const;
    checked<std::optional<bool>> optional_boolean(std::string_view name) const;
    checked<std::optional<std::int64_t>> optional_integer(
        std::string_view name, integer_range range
    ) const;

    /// Refuses the first member with another name.
    checked<> only(std::initializer_list<std::string_view> names) const;

    [[nodiscard]] std::string path_of(std::string_view name) const;

   private:
    [[nodiscard]] const boost::json::value* find(std::string_view name) const;

    const boost::json::object& object_;
    std::string path_;
};

/// A document from outside that passed the gate: as text, and as values to look at.
class json_document {
   public:
    static checked<json_document> parse(
        std::string_view text, std::string_view field, const boundary_limits& limits = {}
    );

    [[nodiscard]] const json_text& text() const noexcept { return text_; }

    [[nodiscard]] const boost::json::value& root() const noexcept { return root_; }

    /// The document's fields, where it must be an object.
    checked<object_reader> object() const;

    /// A member of the outermost object as canonical text, its numbers spelled as they came: for
    /// `parse_content` and for metadata. `name` is a plain word. Nothing if it is absent or `null`.
    [[nodiscard]] std::optional<std::string_view> member(std::string_view name) const;

   private:
    json_document(json_text text, boost::json::value root, std::string field)
        : text_(std::move(text)), root_(std::move(root)), field_(std::move(field)) {}

    json_text text_;
    boost::json::value root_;
    std::string field_;
};

}  // namespace convene
