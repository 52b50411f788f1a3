// SPDX-License-Identifier: Apache-2.0
// Loading configuration: what each source gives, then for each setting the highest.
#include <map>
#include <unistd.h>
#include <utility>

#include "base/assert.hpp"
#include "base/config/configuration.hpp"
#include "base/config/small_file.hpp"
#include "base/config/spelling.hpp"
#include "base/config/suggest.hpp"
#include "base/config/toml_file.hpp"
#include "base/json_writer.hpp"
#include "base/utf8.hpp"

namespace convene {

namespace {

constexpr std::string_view config_variable = "CONVENE_CONFIG";

constexpr std::size_t max_config_bytes = std::size_t{1024} * 1024;
constexpr std::size_t max_secret_bytes = std::size_t{64} * 1024;

/// One way to write settings down.
struct notation {
    std::string (*spelling)(const setting&);
    std::string_view file_suffix;  ///< of the name of a secret's file
};

constexpr notation flag_notation{flag_spelling, "-file"};
constexpr notation environment_notation{environment_spelling, "_FILE"};
constexpr notation file_notation{file_spelling, "_file"};

/// A key and its value as they stand in a source.
struct given_entry {
    std::string key;
    std::string text;
    std::string source;
};

/// What one source gives for one setting.
struct given_value {
    setting_value value;
    std::string key;
    std::string source;
};

using given_values = std::map<const setting*, given_value>;

/// A value as an error may repeat it: quoted, escaped and short.
std::string excerpt(std::string_view text) {
    constexpr std::size_t max_shown_bytes = 64;
    std::string shown;
    append_json_string(shown, utf8_prefix(text, max_shown_bytes));
    return shown;
}

class loader {
   public:
    explicit loader(std::span<const setting> table) : table_(table) {}

    loaded_configuration load(const config_sources& sources) {
        const given_values flags = read_flags(sources.flags);
        const given_values environment = read_environment(sources.environment);
        const given_values file = read_file(path_of_file(sources));
        if (!problems_.empty()) {
            return std::move(problems_);
        }
        std::vector<configuration::entry> entries;
        for (const setting& what : table_) {
            entries.push_back(choose(what, {&flags, &environment, &file}));
        }
        return configuration{std::move(entries)};
    }

   private:
    static configuration::entry choose(
        const setting& what, std::initializer_list<const given_values*> highest_first
    ) {
        for (const given_values* source : highest_first) {
            if (const auto found = source->find(&what); found != source->end()) {
                return {&what, found->second.value, found->second.source};
            }
        }
        auto value = parse_setting(what, what.default_value);
        CONVENE_ASSERT(value, "the table has a default that its setting does not allow");
        return {&what, *std::move(value), "default"};
    }

    given_values read_flags(const std::map<std::string, std::string>& flags) {
        given_values values;
        for (const auto& [key, text] : flags) {
            take(values, flag_notation, {key, text, "flag"});
        }
        return values;
    }

    /// Variables of other programs are none of our business; those with our prefix are.
    given_values read_environment(const std::map<std::string, std::string>& environment) {
        given_values plain;
        given_values prefixed;
        for (const auto& [key, text] : environment) {
            if (text.empty() || key == config_variable) {
                continue;
            }
            if (key.starts_with(environment_prefix)) {
                const std::string name = key.substr(environment_prefix.size());
                take(
                    prefixed, environment_notation, {name, text, "environment"}, environment_prefix
                );
            } else if (is_read_by_its_bare_name(key)) {
                take(plain, environment_notation, {key, text, "environment"});
            }
        }
        prefixed.merge(plain);
        return prefixed;
    }

    given_values read_file(const std::optional<std::filesystem::path>& path) {
        if (!path) {
            return {};
        }
        const result<std::string> document = read_small_file(*path, max_config_bytes);
        if (!document) {
            refuse("configuration file", path->string(), document.error().message());
            return {};
        }
        const toml_entries entries = parse_toml_entries(*document);
        if (!entries) {
            refuse(
                "configuration file",
                at_line(*path, entries.error().line),
                entries.error().description
            );
            return {};
        }
        given_values values;
        for (const toml_entry& entry : *entries) {
            take(values, file_notation, {entry.key, entry.text, at_line(*path, entry.line)});
        }
        return values;
    }

    static std::optional<std::filesystem::path> path_of_file(const config_sources& sources) {
        if (sources.file) {
            return sources.file;
        }
        const auto variable = sources.environment.find(std::string{config_variable});
        if (variable == sources.environment.end() || variable->second.empty()) {
            return std::nullopt;
        }
        return variable->second;
    }

    static std::string at_line(const std::filesystem::path& path, std::size_t line) {
        return path.string() + ':' + std::to_string(line);
    }

    [[nodiscard]] const setting* find(const notation& how, std::string_view key) const {
        for (const setting& what : table_) {
            if (how.spelling(what) == key) {
                return &what;
            }
        }
        return nullptr;
    }

    /// The secret whose file `key` names.
    [[nodiscard]] const setting* find_by_file(const notation& how, std::string_view key) const {
        if (!key.ends_with(how.file_suffix)) {
            return nullptr;
        }
        const setting* const what = find(how, key.substr(0, key.size() - how.file_suffix.size()));
        return what != nullptr && what->kind == setting_kind::secret ? what : nullptr;
    }

    [[nodiscard]] bool is_read_by_its_bare_name(std::string_view variable) const {
        const setting* const direct = find(environment_notation, variable);
        const setting* const what = direct != nullptr
                                        ? direct
                                        : find_by_file(environment_notation, variable);
        return what != nullptr && what->variables == variable_rule::any;
    }

    /// Files an entry under its setting. `prefix` stood before its key.
    void take(
        given_values& values,
        const notation& how,
        const given_entry& entry,
        std::string_view prefix = {}
    ) {
        const std::string key = std::string{prefix} + entry.key;
        const setting* const direct = find(how, entry.key);
        const setting* const what = direct != nullptr ? direct : find_by_file(how, entry.key);
        if (what == nullptr) {
            refuse_unknown(how, entry, prefix);
            return;
        }
        const std::optional<std::string> text = direct != nullptr ? entry.text
                                                                  : read_secret(key, entry);
        if (!text) {
            return;
        }
        auto value = parse_setting(*what, *text);
        if (!value) {
            refuse_value(*what, key, *text, entry.source);
            return;
        }
        const auto [place, is_first] = values.try_emplace(
            what, given_value{*std::move(value), key, entry.source}
        );
        if (!is_first) {
            refuse(key, entry.source, "stands beside " + place->second.key + "; give one of them");
        }
    }

    /// The content of a secret's file; the line end that editors leave is not part of it.
    std::optional<std::string> read_secret(const std::string& key, const given_entry& entry) {
        result<std::string> secret = read_small_file(entry.text, max_secret_bytes);
        if (!secret) {
            refuse(key, entry.source, "names a file that cannot be read: " + excerpt(entry.text));
            return std::nullopt;
        }
        for (const char end : {'\n', '\r'}) {
            if (secret->ends_with(end)) {
                secret->pop_back();
            }
        }
        return *std::move(secret);
    }

    void refuse_value(
        const setting& what, const std::string& key, std::string_view text, std::string source
    ) {
        std::string description = what.kind == setting_kind::secret ? "this value" : excerpt(text);
        description += " is not allowed; allowed is " + describe_allowed(what);
        refuse(key, std::move(source), std::move(description));
    }

    void refuse_unknown(const notation& how, const given_entry& entry, std::string_view prefix) {
        std::vector<std::string> known;
        for (const setting& what : table_) {
            known.push_back(how.spelling(what));
        }
        std::string text = "is not a setting";
        if (const auto nearest = nearest_word(entry.key, known)) {
            text += "; did you mean " + std::string{prefix} + *nearest + '?';
        }
        refuse(std::string{prefix} + entry.key, entry.source, std::move(text));
    }

    void refuse(std::string name, std::string source, std::string text) {
        problems_.push_back({std::move(name), std::move(source), std::move(text)});
    }

    std::span<const setting> table_;
    std::vector<config_problem> problems_;
};

}  // namespace

std::map<std::string, std::string> process_environment() {
    std::map<std::string, std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text{*variable};
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos) {
            variables.emplace(text.substr(0, equals), text.substr(equals + 1));
        }
    }
    return variables;
}

loaded_configuration load_configuration(
    std::span<const setting> table, const config_sources& sources
) {
    return loader{table}.load(sources);
}

}  // namespace convene
