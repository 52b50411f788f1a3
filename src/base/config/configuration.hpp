// SPDX-License-Identifier: Apache-2.0
// Configuration: the values of all settings, each from the highest source that gives one.
#pragma once

#include "convene/time.hpp"

#include <boost/system/result.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/config/setting.hpp"
#include "base/config/value.hpp"

namespace convene {

/// Where configuration comes from, highest first; then come the defaults.
struct config_sources {
    /// By flag: `--db-url`. A secret may also be named by `--db-url-file`.
    std::map<std::string, std::string> flags;

    /// All variables of the process. `CONVENE_DB_URL` goes before `DB_URL`, `DB_URL_FILE` names a
    /// file; a variable with that prefix that is no setting is refused. An empty variable counts as
    /// unset.
    std::map<std::string, std::string> environment;

    /// A TOML file with keys like `db_url`. Left out: the file that `CONVENE_CONFIG` names, if any.
    std::optional<std::filesystem::path> file;
};

/// The variables of this process, for `config_sources::environment`.
[[nodiscard]] std::map<std::string, std::string> process_environment();

/// Why the configuration is refused.
struct config_problem {
    std::string setting;  ///< as its source spells it
    std::string source;   ///< `flag`, `environment`, `convene.toml:12`
    std::string text;     ///< what is wrong and what would be right; never has a secret in it

    [[nodiscard]] std::string message() const;
};

/// The values in force. *Thread safety*: as of a value.
class configuration {
   public:
    struct entry {
        const setting* what;
        setting_value value;
        std::string origin;  ///< `default`, or a source as in `config_problem`
    };

    explicit configuration(std::vector<entry> entries) : entries_(std::move(entries)) {}

    // The value of a setting of that kind. *Requires*: `name` is in the table.
    [[nodiscard]] const std::string& text(std::string_view name) const;  ///< string, enumeration,
                                                                         ///< secret
    [[nodiscard]] std::int64_t integer(std::string_view name) const;
    [[nodiscard]] milliseconds duration(std::string_view name) const;
    [[nodiscard]] bool boolean(std::string_view name) const;

    /// In the order of the table.
    [[nodiscard]] std::span<const entry> entries() const noexcept { return entries_; }

   private:
    [[nodiscard]] const setting_value& find(std::string_view name) const;

    std::vector<entry> entries_;
};

/// The configuration, or everything that is wrong with it.
using loaded_configuration = boost::system::result<configuration, std::vector<config_problem>>;

/// Reads all sources by the definitions in `table`.
[[nodiscard]] loaded_configuration load_configuration(
    std::span<const setting> table, const config_sources& sources
);

/// The values in force as a TOML document, each with its origin, secrets redacted.
[[nodiscard]] std::string print_config(const configuration& config);

}  // namespace convene
