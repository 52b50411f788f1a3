// SPDX-License-Identifier: Apache-2.0
// The dialect: each keyword is kept, mapped, left out or refused by name.
#include "agent/schema_dialect.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/field_path.hpp"

namespace convene {

namespace {

namespace json = boost::json;

enum class treatment : std::uint8_t {
    keep,          ///< a plain value
    schema,        ///< has a schema as its value
    schemas,       ///< a list of schemas
    named,         ///< an object of schemas
    dependencies,  ///< an object of schemas or of lists of names
    items,         ///< a schema, or in draft 7 a list of them
    reference,
    refuse,
};

struct keyword {
    std::string_view name;
    treatment how;
    std::string_view in_draft_7;  ///< empty: the same word
};

/// What is not here says nothing about which documents fit: titles, examples, words of vendors.
constexpr auto keywords = std::to_array<keyword>({
    {"type", treatment::keep, {}},
    {"enum", treatment::keep, {}},
    {"const", treatment::keep, {}},
    {"required", treatment::keep, {}},
    {"minProperties", treatment::keep, {}},
    {"maxProperties", treatment::keep, {}},
    {"minItems", treatment::keep, {}},
    {"maxItems", treatment::keep, {}},
    {"uniqueItems", treatment::keep, {}},
    {"minLength", treatment::keep, {}},
    {"maxLength", treatment::keep, {}},
    {"minimum", treatment::keep, {}},
    {"maximum", treatment::keep, {}},
    {"exclusiveMinimum", treatment::keep, {}},
    {"exclusiveMaximum", treatment::keep, {}},
    {"multipleOf", treatment::keep, {}},
    {"properties", treatment::named, {}},
    {"additionalProperties", treatment::schema, {}},
    {"propertyNames", treatment::schema, {}},
    {"items", treatment::items, {}},
    {"prefixItems", treatment::schemas, "items"},
    {"additionalItems", treatment::schema, {}},
    {"contains", treatment::schema, {}},
    {"allOf", treatment::schemas, {}},
    {"anyOf", treatment::schemas, {}},
    {"oneOf", treatment::schemas, {}},
    {"not", treatment::schema, {}},
    {"if", treatment::schema, {}},
    {"then", treatment::schema, {}},
    {"else", treatment::schema, {}},
    {"$defs", treatment::named, {}},
    {"definitions", treatment::named, {}},
    {"dependencies", treatment::dependencies, {}},
    {"dependentRequired", treatment::dependencies, "dependencies"},
    {"dependentSchemas", treatment::dependencies, "dependencies"},
    {"$ref", treatment::reference, {}},
    {"$dynamicRef", treatment::refuse, {}},
    {"$recursiveRef", treatment::refuse, {}},
    {"$anchor", treatment::refuse, {}},
    {"$dynamicAnchor", treatment::refuse, {}},
    {"unevaluatedProperties", treatment::refuse, {}},
    {"unevaluatedItems", treatment::refuse, {}},
    {"minContains", treatment::refuse, {}},
    {"maxContains", treatment::refuse, {}},
});

/// Where a validator goes from a schema without going into the document.
constexpr std::array<std::string_view, 3> lists_in_place{"allOf", "anyOf", "oneOf"};
constexpr std::array<std::string_view, 4> schemas_in_place{"not", "if", "then", "else"};

constexpr std::int64_t most_alternatives = 10'000;

const keyword* find_keyword(std::string_view name) noexcept {
    for (const keyword& one : keywords) {
        if (one.name == name) {
            return &one;
        }
    }
    return nullptr;
}

/// Values are made with parentheses: braces would make lists of them.
class translation {
   public:
    checked<json::value> translate(const json::value& schema, const std::string& path) {
        if (schema.is_bool()) {
            return schema;
        }
        if (!schema.is_object()) {
            return boundary_error{path, boundary_reason::wrong_type};
        }
        const json::object& given = schema.get_object();
        json::object made;
        for (const auto& [name, value] : given) {
            const keyword* known = find_keyword(name);
            // In 2020-12 `items` is what comes after `prefixItems`.
            const bool comes_after = name == "items" && given.contains("prefixItems");
            if (known == nullptr) {
                continue;
            }
            if (auto done = translate_member(
                    *known, value, member_path(path, name), comes_after, made
                );
                !done) {
                return done.error();
            }
        }
        if (given.contains("patternProperties")) {
            // Names that a pattern allows must not be refused as additional ones.
            made.erase("additionalProperties");
        }
        return json::value(std::move(made));
    }

   private:
    checked<> translate_member(
        const keyword& known,
        const json::value& value,
        const std::string& path,
        bool comes_after,
        json::object& into
    ) {
        const std::string_view word = known.in_draft_7.empty() ? known.name : known.in_draft_7;
        switch (known.how) {
            case treatment::keep:
                into[word] = value;
                return {};
            case treatment::schema:
                return put(translate(value, path), word, into);
            case treatment::items:
                if (value.is_array()) {
                    return put(translate_list(value, path), word, into);
                }
                return put(translate(value, path), comes_after ? "additionalItems" : word, into);
            case treatment::schemas:
                return put(translate_list(value, path), word, into);
            case treatment::named:
                return put(translate_named(value, path), word, into);
            case treatment::dependencies:
                return add_dependencies(value, path, into);
            case treatment::reference:
                return add_reference(value, path, into);
            case treatment::refuse:
                break;
        }
        return boundary_error{path, boundary_reason::not_allowed_here};
    }

    static checked<> put(checked<json::value> made, std::string_view word, json::object& into) {
        if (!made) {
            return made.error();
        }
        if (word == "allOf" && into.contains(word)) {
            // A reference came first and is in there.
            json::array& all = into[word].as_array();
            all.insert(all.begin(), made->as_array().begin(), made->as_array().end());
            return {};
        }
        into[word] = *std::move(made);
        return {};
    }

    checked<json::value> translate_list(const json::value& value, const std::string& path) {
        if (!value.is_array()) {
            return boundary_error{path, boundary_reason::wrong_type};
        }
        json::array made;
        for (const json::value& one : value.get_array()) {
            auto translated = translate(one, element_path(path, made.size()));
            if (!translated) {
                return translated.error();
            }
            made.push_back(*std::move(translated));
        }
        return json::value(std::move(made));
    }

    checked<json::value> translate_named(const json::value& value, const std::string& path) {
        if (!value.is_object()) {
            return boundary_error{path, boundary_reason::wrong_type};
        }
        json::object made;
        for (const auto& [name, one] : value.get_object()) {
            auto translated = translate(one, member_path(path, name));
            if (!translated) {
                return translated.error();
            }
            made[name] = *std::move(translated);
        }
        return json::value(std::move(made));
    }

    /// The two words of 2020-12 are one in draft 7: a property that has both gets both.
    checked<> add_dependencies(
        const json::value& value, const std::string& path, json::object& into
    ) {
        if (!value.is_object()) {
            return boundary_error{path, boundary_reason::wrong_type};
        }
        json::object& all = into["dependencies"].is_object()
                                ? into["dependencies"].get_object()
                                : into["dependencies"].emplace_object();
        for (const auto& [name, one] : value.get_object()) {
            json::value wanted;
            if (one.is_array()) {
                wanted = json::object{{"required", one}};
            } else {
                auto translated = translate(one, member_path(path, name));
                if (!translated) {
                    return translated.error();
                }
                wanted = *std::move(translated);
            }
            if (const json::value* before = all.if_contains(name)) {
                wanted = json::object{{"allOf", json::array{*before, std::move(wanted)}}};
            }
            all[name] = std::move(wanted);
        }
        return {};
    }

    /// Draft 7 overlooks what stands beside a reference: it becomes one of several that all hold.
    static checked<> add_reference(
        const json::value& value, const std::string& path, json::object& into
    ) {
        if (!value.is_string()) {
            return boundary_error{path, boundary_reason::wrong_type};
        }
        const std::string_view to = value.get_string();
        const bool is_inside = to == "#" || to.starts_with("#/");
        if (!is_inside || to.find('%') != std::string_view::npos) {
            return boundary_error{path, boundary_reason::unsupported_url};
        }
        json::value& all = into["allOf"];
        if (!all.is_array()) {
            all.emplace_array();
        }
        all.get_array().push_back(json::object{{"$ref", value}});
        return {};
    }
};

/// Follows every schema as far as a validator goes without going into the document.
class in_place_walk {
   public:
    in_place_walk(const json::value& root, std::string field)
        : root_(root), field_(std::move(field)) {}

    checked<> check_all(const json::value& value) {
        if (const json::array* list = value.if_array()) {
            for (const json::value& one : *list) {
                if (auto fine = check_all(one); !fine) {
                    return fine;
                }
            }
        }
        if (const json::object* object = value.if_object()) {
            if (auto counted = count(value); !counted) {
                return counted.error();
            }
            for (const auto& [name, one] : *object) {
                if (auto fine = check_all(one); !fine) {
                    return fine;
                }
            }
        }
        return {};
    }

   private:
    static constexpr std::int64_t under_way = -1;

    /// How many schemas are looked at for one value of the document.
    checked<std::int64_t> count(const json::value& schema) {
        const json::object* object = schema.if_object();
        if (object == nullptr) {
            return std::int64_t{1};
        }
        const auto [place, is_new] = counted_.try_emplace(&schema, under_way);
        if (!is_new) {
            if (place->second == under_way) {
                return boundary_error{member_path(field_, "$ref"), boundary_reason::too_deep};
            }
            return place->second;
        }
        std::int64_t total = 1;
        for (const json::value* next : next_of(*object)) {
            if (next == nullptr) {
                return boundary_error{member_path(field_, "$ref"), boundary_reason::unknown_value};
            }
            const auto more = count(*next);
            if (!more) {
                return more.error();
            }
            total += *more;
            if (total > most_alternatives) {
                return boundary_error{field_, boundary_reason::too_many};
            }
        }
        counted_[&schema] = total;
        return total;
    }

    /// Null for a reference to nothing.
    std::vector<const json::value*> next_of(const json::object& schema) const {
        std::vector<const json::value*> next;
        for (const std::string_view word : lists_in_place) {
            const json::value* list = schema.if_contains(word);
            if (list != nullptr && list->is_array()) {
                for (const json::value& one : list->get_array()) {
                    next.push_back(&one);
                }
            }
        }
        for (const std::string_view word : schemas_in_place) {
            if (const json::value* one = schema.if_contains(word)) {
                next.push_back(one);
            }
        }
        const json::value* dependencies = schema.if_contains("dependencies");
        if (dependencies != nullptr && dependencies->is_object()) {
            for (const auto& [name, one] : dependencies->get_object()) {
                next.push_back(&one);
            }
        }
        const json::value* reference = schema.if_contains("$ref");
        if (reference != nullptr && reference->is_string()) {
            const std::string_view to = reference->get_string();
            boost::system::error_code failed;
            next.push_back(to == "#" ? &root_ : root_.find_pointer(to.substr(1), failed));
        }
        return next;
    }

    const json::value& root_;
    const std::string field_;
    std::map<const json::value*, std::int64_t> counted_;
};

}  // namespace

checked<json::value> in_draft_7(const json::value& schema, std::string_view field) {
    translation translating;
    auto made = translating.translate(schema, std::string{field});
    if (!made) {
        return made.error();
    }
    in_place_walk walk{*made, std::string{field}};
    if (auto fine = walk.check_all(*made); !fine) {
        return fine.error();
    }
    return made;
}

}  // namespace convene
