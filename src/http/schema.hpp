// SPDX-License-Identifier: Apache-2.0
// A description of JSON values: what a body must look like, how it is read, and its OpenAPI schema.
#pragma once

#include "convene/boundary.hpp"
#include "convene/content.hpp"
#include "convene/json_text.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/problem.hpp"

namespace convene {

class schema;
struct schema_field;

struct length_limits {
    std::size_t min = 0;
    std::size_t max = boundary_limits{}.max_text_bytes;  ///< bytes of UTF-8
};

struct whole_number_limits {
    std::int64_t min = std::numeric_limits<std::int64_t>::min();
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

enum class presence : std::uint8_t { required, optional };

/// What a JSON value must be. A value; made once, shared by the routes that use it.
///
///     schema::input("NewTask", {
///         required("title", schema::text({1, 500}), "What is to be done"),
///         optional("status", schema::word("TaskStatus", {"pending", "completed"}), ""),
///     })
class schema {
   public:
    enum class kind : std::uint8_t {
        text,
        id,
        boolean,
        integer,
        number,
        time,        ///< RFC 3339
        word,        ///< one of `words`
        list,        ///< of `element`
        object,      ///< with `fields`
        any_object,  ///< metadata
        any,         ///< any JSON value
        content,     ///< what `parse_content` takes
        one_of,      ///< documentation only: told apart by `discriminator`
    };

    [[nodiscard]] static schema text(length_limits allowed = {});
    [[nodiscard]] static schema id();
    [[nodiscard]] static schema boolean();
    [[nodiscard]] static schema integer(whole_number_limits allowed = {});
    [[nodiscard]] static schema number(double min, double max);
    [[nodiscard]] static schema time();
    [[nodiscard]] static schema word(std::string name, std::vector<std::string> words);
    [[nodiscard]] static schema list(schema element, std::size_t max = 10'000);
    [[nodiscard]] static schema any_object();
    [[nodiscard]] static schema any();
    [[nodiscard]] static schema content();

    /// An object that we answer. With a name it is a component of its own in the document.
    [[nodiscard]] static schema object(std::string name, std::vector<schema_field> fields);

    /// An object that callers send: the document says that further fields are refused.
    [[nodiscard]] static schema input(std::string name, std::vector<schema_field> fields);

    /// Variants told apart by a field. Only documented, never read.
    [[nodiscard]] static schema one_of(
        std::string name, std::string discriminator, std::vector<schema> variants
    );

    /// The same, or `null`.
    [[nodiscard]] schema or_null() const;

    kind what = kind::any;
    std::string name;  ///< of the component; empty: written in place
    bool is_nullable = false;
    bool is_input = false;
    length_limits text_length;
    whole_number_limits integers;
    double min_number = 0;
    double max_number = 0;
    std::size_t max_elements = 0;
    std::vector<std::string> words;
    std::vector<schema_field> fields;
    std::vector<schema> variants;
    std::string discriminator;
    std::shared_ptr<const schema> element;
};

struct schema_field {
    std::string name;
    presence need = presence::required;
    schema type;
    std::string description;
};

[[nodiscard]] schema_field required(std::string name, schema type, std::string description = {});
[[nodiscard]] schema_field optional(std::string name, schema type, std::string description = {});

/// `base` and more fields, under another name.
[[nodiscard]] schema extended(const schema& base, std::string name, std::vector<schema_field> more);

/// Every way in which canonical JSON breaks a schema, at most a few dozen. `null` counts as absent where it is
/// not allowed but the field is optional.
[[nodiscard]] std::vector<field_fault> faults_of(
    const schema& wanted, std::string_view canonical, const std::string& path
);

/// An object that has been held against its schema: its fields, typed. Getters answer nothing for a field that
/// is absent or `null`, and abort for one that the schema does not have: that is a mistake in a handler.
class read_object {
   public:
    /// *Requires*: `canonical` has no fault against `type`, which outlives the object.
    read_object(const schema* type, std::string canonical);

    /// Text from outside: through the boundary, then held against the schema.
    [[nodiscard]] static or_problem<read_object> parse(const schema* type, std::string_view text);

    [[nodiscard]] bool has(std::string_view name) const;      ///< present and not `null`
    [[nodiscard]] bool is_null(std::string_view name) const;  ///< present and `null`

    [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
    [[nodiscard]] std::optional<bool> boolean(std::string_view name) const;
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const;
    [[nodiscard]] std::optional<double> number(std::string_view name) const;
    [[nodiscard]] std::optional<json_text> json(std::string_view name) const;
    [[nodiscard]] std::optional<convene::content> content(std::string_view name) const;
    [[nodiscard]] std::optional<read_object> object(std::string_view name) const;
    [[nodiscard]] std::vector<read_object> objects(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;

    [[nodiscard]] const std::string& canonical() const noexcept { return canonical_; }

   private:
    [[nodiscard]] const schema& field(std::string_view name) const;
    [[nodiscard]] std::optional<std::string_view> member(std::string_view name) const;

    const schema* type_;
    std::string canonical_;
};

}  // namespace convene
