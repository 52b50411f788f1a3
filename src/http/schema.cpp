// SPDX-License-Identifier: Apache-2.0
// Schemas: building them, and holding values against them.
#include "http/schema.hpp"

#include "convene/time.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/assert.hpp"
#include "base/canonical_json.hpp"
#include "base/field_path.hpp"
#include "base/text_boundary.hpp"

namespace convene {

namespace {

/// Enough to correct a form at once; a hostile body does not get a book.
constexpr std::size_t max_faults = 32;

class inspection {
   public:
    void look_at(const schema& wanted, std::string_view value, const std::string& path) {
        if (value == "null") {
            if (!wanted.is_nullable && wanted.what != schema::kind::any) {
                add(path, boundary_reason::wrong_type);
            }
            return;
        }
        switch (wanted.what) {
            case schema::kind::text:
                text(wanted, value, path);
                return;
            case schema::kind::id:
                id(value, path);
                return;
            case schema::kind::boolean:
                if (value != "true" && value != "false") {
                    add(path, boundary_reason::wrong_type);
                }
                return;
            case schema::kind::integer:
                integer(wanted, value, path);
                return;
            case schema::kind::number:
                number(wanted, value, path);
                return;
            case schema::kind::time:
                time(value, path);
                return;
            case schema::kind::word:
                word(wanted, value, path);
                return;
            case schema::kind::list:
                list(wanted, value, path);
                return;
            case schema::kind::object:
                object(wanted, value, path);
                return;
            case schema::kind::any_object:
                if (!value.starts_with('{')) {
                    add(path, boundary_reason::wrong_type);
                }
                return;
            case schema::kind::content:
                content(value, path);
                return;
            case schema::kind::any:
            case schema::kind::one_of:
                return;
        }
    }

    [[nodiscard]] std::vector<field_fault> take() { return std::move(faults_); }

   private:
    void add(const std::string& path, boundary_reason reason) {
        if (faults_.size() < max_faults) {
            faults_.push_back({path.empty() ? "body" : path, std::string{word_of(reason)}});
        }
    }

    void add_if_bad(const checked<>& outcome) {
        if (!outcome) {
            add(outcome.error().field, outcome.error().reason);
        }
    }

    [[nodiscard]] std::optional<std::string> string_at(
        std::string_view value, const std::string& path
    ) {
        std::optional<std::string> text = decode_string(value);
        if (!text) {
            add(path, boundary_reason::wrong_type);
        }
        return text;
    }

    void text(const schema& wanted, std::string_view value, const std::string& path) {
        const std::optional<std::string> read = string_at(value, path);
        if (!read) {
            return;
        }
        if (read->size() > wanted.text_length.max) {
            add(path, boundary_reason::too_long);
        } else if (read->size() < wanted.text_length.min) {
            add(path, boundary_reason::empty);
        }
    }

    void id(std::string_view value, const std::string& path) {
        const std::optional<std::string> read = string_at(value, path);
        if (read) {
            add_if_bad(check_id(*read, path));
        }
    }

    void integer(const schema& wanted, std::string_view value, const std::string& path) {
        if (!is_number(value) || value.find_first_of(".eE") != std::string_view::npos) {
            add(path, boundary_reason::wrong_type);
            return;
        }
        std::int64_t read = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), read);
        if (error != std::errc{} || read < wanted.integers.min || read > wanted.integers.max) {
            add(path, boundary_reason::out_of_range);
        }
    }

    void number(const schema& wanted, std::string_view value, const std::string& path) {
        if (!is_number(value)) {
            add(path, boundary_reason::wrong_type);
            return;
        }
        double read = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), read);
        if (error != std::errc{} || read < wanted.min_number || read > wanted.max_number) {
            add(path, boundary_reason::out_of_range);
        }
    }

    void time(std::string_view value, const std::string& path) {
        const std::optional<std::string> read = string_at(value, path);
        if (read && !parse_rfc3339(*read)) {
            add(path, boundary_reason::malformed);
        }
    }

    void word(const schema& wanted, std::string_view value, const std::string& path) {
        const std::optional<std::string> read = string_at(value, path);
        if (read && std::ranges::find(wanted.words, *read) == wanted.words.end()) {
            add(path, boundary_reason::unknown_value);
        }
    }

    void list(const schema& wanted, std::string_view value, const std::string& path) {
        if (!value.starts_with('[')) {
            add(path, boundary_reason::wrong_type);
            return;
        }
        const std::vector<std::string_view> elements = elements_of(value);
        if (elements.size() > wanted.max_elements) {
            add(path, boundary_reason::too_many);
            return;
        }
        for (std::size_t i = 0; i < elements.size(); ++i) {
            look_at(*wanted.element, elements[i], element_path(path, i));
        }
    }

    void object(const schema& wanted, std::string_view value, const std::string& path) {
        if (!value.starts_with('{')) {
            add(path, boundary_reason::wrong_type);
            return;
        }
        std::vector<bool> seen(wanted.fields.size());
        for (const json_member& member : members_of(value)) {
            std::string at = path;
            append_spelled_member(at, member.key);
            const auto known = std::ranges::find(wanted.fields, member.key, &schema_field::name);
            if (known == wanted.fields.end()) {
                add(at, boundary_reason::unknown_field);
                continue;
            }
            const bool is_absent = member.value == "null" && !known->type.is_nullable &&
                                   known->type.what != schema::kind::any;
            if (is_absent) {
                continue;
            }
            seen[static_cast<std::size_t>(known - wanted.fields.begin())] = true;
            look_at(known->type, member.value, at);
        }
        for (std::size_t i = 0; i < seen.size(); ++i) {
            if (!seen[i] && wanted.fields[i].need == presence::required) {
                add(member_path(path, wanted.fields[i].name), boundary_reason::missing_field);
            }
        }
    }

    void content(std::string_view value, const std::string& path) {
        const checked<convene::content> read = parse_content(value, path);
        if (!read) {
            add(read.error().field, read.error().reason);
        }
    }

    [[nodiscard]] static bool is_number(std::string_view value) {
        return !value.empty() &&
               (value.front() == '-' || (value.front() >= '0' && value.front() <= '9'));
    }

    std::vector<field_fault> faults_;
};

schema of_kind(schema::kind what) {
    schema made;
    made.what = what;
    return made;
}

}  // namespace

schema schema::text(length_limits allowed) {
    schema made = of_kind(kind::text);
    made.text_length = allowed;
    return made;
}

schema schema::id() { return of_kind(kind::id); }

schema schema::boolean() { return of_kind(kind::boolean); }

schema schema::integer(whole_number_limits allowed) {
    schema made = of_kind(kind::integer);
    made.integers = allowed;
    return made;
}

schema schema::number(double min, double max) {
    schema made = of_kind(kind::number);
    made.min_number = min;
    made.max_number = max;
    return made;
}

schema schema::time() { return of_kind(kind::time); }

schema schema::word(std::string name, std::vector<std::string> words) {
    schema made = of_kind(kind::word);
    made.name = std::move(name);
    made.words = std::move(words);
    return made;
}

schema schema::list(schema element, std::size_t max) {
    schema made = of_kind(kind::list);
    made.element = std::make_shared<const schema>(std::move(element));
    made.max_elements = max;
    return made;
}

schema schema::any_object() { return of_kind(kind::any_object); }

schema schema::any() { return of_kind(kind::any); }

schema schema::content() {
    schema made = of_kind(kind::content);
    made.name = "Content";
    return made;
}

schema schema::object(std::string name, std::vector<schema_field> fields) {
    schema made = of_kind(kind::object);
    made.name = std::move(name);
    made.fields = std::move(fields);
    return made;
}

schema schema::input(std::string name, std::vector<schema_field> fields) {
    schema made = object(std::move(name), std::move(fields));
    made.is_input = true;
    return made;
}

schema schema::one_of(std::string name, std::string discriminator, std::vector<schema> variants) {
    schema made = of_kind(kind::one_of);
    made.name = std::move(name);
    made.discriminator = std::move(discriminator);
    made.variants = std::move(variants);
    return made;
}

schema schema::or_null() const {
    schema made = *this;
    made.is_nullable = true;
    return made;
}

schema_field required(std::string name, schema type, std::string description) {
    return {std::move(name), presence::required, std::move(type), std::move(description)};
}

schema_field optional(std::string name, schema type, std::string description) {
    return {std::move(name), presence::optional, std::move(type), std::move(description)};
}

schema extended(const schema& base, std::string name, std::vector<schema_field> more) {
    schema made = base;
    made.name = std::move(name);
    for (schema_field& field : more) {
        made.fields.push_back(std::move(field));
    }
    return made;
}

std::vector<field_fault> faults_of(
    const schema& wanted, std::string_view canonical, const std::string& path
) {
    inspection look;
    look.look_at(wanted, canonical, path);
    return look.take();
}

read_object::read_object(const schema* type, std::string canonical)
    : type_(type), canonical_(std::move(canonical)) {
    CONVENE_ASSERT(type_->what == schema::kind::object, "only objects have fields");
}

or_problem<read_object> read_object::parse(const schema* type, std::string_view text) {
    const checked<json_text> document = parse_json(text, "");
    if (!document) {
        boundary_error error = document.error();
        if (error.field.empty()) {
            error.field = "body";
        }
        return problem_of(error);
    }
    std::vector<field_fault> faults = faults_of(*type, document->str(), "");
    if (!faults.empty()) {
        return validation_problem(std::move(faults));
    }
    return read_object{type, document->str()};
}

const schema& read_object::field(std::string_view name) const {
    const auto found = std::ranges::find(type_->fields, name, &schema_field::name);
    CONVENE_ASSERT(found != type_->fields.end(), "a handler reads a field its schema lacks");
    return found->type;
}

std::optional<std::string_view> read_object::member(std::string_view name) const {
    const schema& type = field(name);
    const std::optional<std::string_view> value = find_member(canonical_, name);
    return value == "null" && type.what != schema::kind::any ? std::nullopt : value;
}

bool read_object::has(std::string_view name) const { return member(name).has_value(); }

bool read_object::is_null(std::string_view name) const {
    return find_member(canonical_, name) == "null";
}

std::optional<std::string> read_object::text(std::string_view name) const {
    const auto value = member(name);
    return value ? decode_string(*value) : std::nullopt;
}

std::optional<bool> read_object::boolean(std::string_view name) const {
    const auto value = member(name);
    return value ? std::optional{*value == "true"} : std::nullopt;
}

std::optional<std::int64_t> read_object::integer(std::string_view name) const {
    const auto value = member(name);
    if (!value) {
        return std::nullopt;
    }
    std::int64_t read = 0;
    std::from_chars(value->data(), value->data() + value->size(), read);
    return read;
}

std::optional<double> read_object::number(std::string_view name) const {
    const auto value = member(name);
    if (!value) {
        return std::nullopt;
    }
    double read = 0;
    std::from_chars(value->data(), value->data() + value->size(), read);
    return read;
}

std::optional<json_text> read_object::json(std::string_view name) const {
    const auto value = member(name);
    return value ? std::optional{json_text::trusted(std::string{*value})} : std::nullopt;
}

std::optional<content> read_object::content(std::string_view name) const {
    const auto value = member(name);
    if (!value) {
        return std::nullopt;
    }
    const result<convene::content> read = convene::content::from_store(*value);
    return read ? std::optional{*read} : std::nullopt;
}

std::optional<read_object> read_object::object(std::string_view name) const {
    const auto value = member(name);
    return value ? std::optional{read_object{&field(name), std::string{*value}}} : std::nullopt;
}

std::vector<read_object> read_object::objects(std::string_view name) const {
    std::vector<read_object> all;
    for (const std::string_view element : elements_of(member(name).value_or("[]"))) {
        all.emplace_back(field(name).element.get(), std::string{element});
    }
    return all;
}

std::vector<std::string> read_object::texts(std::string_view name) const {
    std::vector<std::string> all;
    for (const std::string_view element : elements_of(member(name).value_or("[]"))) {
        all.push_back(decode_string(element).value_or(""));
    }
    return all;
}

}  // namespace convene
