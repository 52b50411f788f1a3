// SPDX-License-Identifier: Apache-2.0
// What the declarations of all commands share: how CLI11 is told of one, and which one it chose.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options.hpp"

namespace convene {

/// The words of a verb, or of another choice, and what each stands for. *Lifetime*: the texts are literals.
template <class Value>
using choice_words = std::vector<std::pair<std::string_view, Value>>;

/// The commands of one command line. *Lifetime*: outlives the parsing, as do the options that it is given.
class command_set {
   public:
    explicit command_set(CLI::App& app) : app_(app) {}

    command_set(const command_set&) = delete;
    command_set& operator=(const command_set&) = delete;

    /// A command that fills `options`; the last one on the command line is the one that is run.
    template <class Options>
    CLI::App* declare(const std::string& name, const std::string& help, Options& options) {
        CLI::App* const command = app_.add_subcommand(name, help);
        command->fallthrough();
        command->footer("Settings such as --db and --url go with every command: see convene --help."
        );
        choose(command, options, [] {});
        return command;
    }

    /// The same for what one option alone can't say: `check` throws what is wrong with the whole.
    template <class Options, class Check>
    void choose(CLI::App* command, Options& options, Check check) {
        command->callback([this, &options, check] {
            check();
            chosen_ = options;
        });
    }

    /// What is to be run. *Requires*: a command was found.
    [[nodiscard]] command_options take() { return std::move(chosen_); }

   private:
    CLI::App& app_;
    command_options chosen_;
};

/// An option, or an argument, that is one of `words`.
template <class Value, class Target>
CLI::Option* add_choice(
    CLI::App* command,
    const std::string& name,
    choice_words<Value> words,
    Target& target,
    const std::string& help
) {
    std::string listed;
    std::string alternatives;
    for (const auto& [word, value] : words) {
        listed.append(listed.empty() ? "" : ", ").append(word);
        alternatives.append(alternatives.empty() ? "" : "|").append(word);
    }
    const auto read = [name, words = std::move(words), listed, &target](const std::string& given) {
        for (const auto& [word, value] : words) {
            if (word == given) {
                target = value;
                return;
            }
        }
        throw CLI::ValidationError(name, "is none of " + listed);
    };
    return command->add_option_function<std::string>(name, read, help)->type_name(alternatives);
}

inline void add_json(CLI::App* command, output_form& form) {
    command->add_flag_callback(
        "--json", [&form] { form = output_form::json; }, "Print JSON, for programs"
    );
}

/// For commands whose work the server's audit trail tells of.
inline void add_reason(CLI::App* command, std::string& reason) {
    command->add_option("--reason", reason, "For the server's audit trail")->type_name("TEXT");
}

/// An argument that the verb asks for, and that was left out.
inline void require_argument(const std::string& given, const char* name) {
    if (given.empty()) {
        throw CLI::RequiredError(name);
    }
}

}  // namespace convene
