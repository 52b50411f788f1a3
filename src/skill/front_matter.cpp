// SPDX-License-Identifier: Apache-2.0
// Front matter: YAML as a stream of events, so that nothing is built that the limits do not allow.
#include "skill/front_matter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "base/utf8.hpp"
#include "skill/skill_paths.hpp"

namespace convene {

namespace {

constexpr std::size_t max_depth = 4;
constexpr std::size_t max_values = 500;

pull_failure invalid(std::string what) {
    return {"skill_file_invalid", fmt::format("{}: {}", skill_file_name, what)};
}

enum class value_kind { scalar, list, map };

/// Everything there is, flat: `metadata.author`, `allowed-tools[0]`.
struct yaml_value {
    value_kind kind = value_kind::scalar;
    std::string text;
};

using yaml_values = std::map<std::string, yaml_value>;

/// What the handler stops at; never leaves this file.
struct refused {
    int line = 0;
    std::string_view what;
};

class value_collector final : public YAML::EventHandler {
   public:
    [[nodiscard]] yaml_values take() { return std::move(values_); }

    void OnDocumentStart(const YAML::Mark&) override {}

    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        check(mark, {}, anchor);
        add(mark, {value_kind::scalar, {}});
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        throw refused{mark.line, "aliases are not taken: write the value itself"};
    }

    void OnScalar(
        const YAML::Mark& mark,
        const std::string& tag,
        YAML::anchor_t anchor,
        const std::string& value
    ) override {
        check(mark, tag, anchor);
        if (is_key_next()) {
            open_.back().key = value;
            return;
        }
        add(mark, {value_kind::scalar, value});
    }

    void OnSequenceStart(
        const YAML::Mark& mark,
        const std::string& tag,
        YAML::anchor_t anchor,
        YAML::EmitterStyle::value
    ) override {
        enter(mark, tag, anchor, value_kind::list);
    }

    void OnSequenceEnd() override { open_.pop_back(); }

    void OnMapStart(
        const YAML::Mark& mark,
        const std::string& tag,
        YAML::anchor_t anchor,
        YAML::EmitterStyle::value
    ) override {
        enter(mark, tag, anchor, value_kind::map);
    }

    void OnMapEnd() override { open_.pop_back(); }

   private:
    struct level {
        value_kind kind;
        std::string path;
        std::optional<std::string> key{};  ///< of a map: whose value comes next
        std::size_t index = 0;             ///< of a list: of what comes next
    };

    [[nodiscard]] bool is_key_next() const {
        return !open_.empty() && open_.back().kind == value_kind::map && !open_.back().key;
    }

    static void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
        // `?` is no tag, `!` a quoted text.
        if (!tag.empty() && tag != "?" && tag != "!") {
            throw refused{mark.line, "tags are not taken: leave them out"};
        }
        if (anchor != YAML::NullAnchor) {
            throw refused{mark.line, "anchors are not taken: leave them out"};
        }
    }

    std::string add(const YAML::Mark& mark, yaml_value value) {
        std::string path;
        if (!open_.empty()) {
            level& around = open_.back();
            if (is_key_next()) {
                throw refused{mark.line, "a key must be a plain text"};
            }
            path = around.kind == value_kind::list
                       ? fmt::format("{}[{}]", around.path, around.index++)
                       : around.path + (around.path.empty() ? "" : ".") + *around.key;
            around.key.reset();
        }
        if (values_.size() == max_values) {
            throw refused{mark.line, "there are too many values: leave some out"};
        }
        if (!values_.emplace(path, std::move(value)).second) {
            throw refused{mark.line, "a key is there twice: leave one out"};
        }
        return path;
    }

    void enter(
        const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, value_kind kind
    ) {
        check(mark, tag, anchor);
        if (open_.size() == max_depth) {
            throw refused{mark.line, "it is nested too deep: write it flat"};
        }
        std::string path = add(mark, {kind, {}});
        open_.push_back({kind, std::move(path)});
    }

    std::vector<level> open_;
    yaml_values values_;
};

/// Lines of the file, where the front matter begins on the second.
constexpr int lines_before = 2;

pulled<yaml_values> read_yaml(const std::string& text) {
    value_collector collector;
    // The library reports what it can't read by throwing.
    try {
        std::istringstream stream{text};
        YAML::Parser parser{stream};
        parser.HandleNextDocument(collector);
    } catch (const refused& stop) {
        return invalid(fmt::format("line {}: {}", stop.line + lines_before, stop.what));
    } catch (const YAML::Exception& error) {
        return invalid(fmt::format(
            "line {}: this is no YAML; put texts with a colon into quotes",
            error.mark.line + lines_before
        ));
    }
    return collector.take();
}

class field_reader {
   public:
    explicit field_reader(yaml_values values) : values_(std::move(values)) {}

    [[nodiscard]] const std::optional<pull_failure>& fault() const noexcept { return fault_; }

    /// Empty where it is absent.
    std::string text(const std::string& name, std::size_t max_characters) {
        const auto found = values_.find(name);
        if (found == values_.end()) {
            return {};
        }
        if (found->second.kind != value_kind::scalar) {
            refuse(name, "must be a text");
            return {};
        }
        std::string value = found->second.text;
        // A folded text ends with the end of its last line.
        while (value.ends_with('\n')) {
            value.pop_back();
        }
        if (count_code_points(value) > max_characters) {
            refuse(name, fmt::format("has more than {} characters; shorten it", max_characters));
            return {};
        }
        return value;
    }

    std::string needed_text(const std::string& name, std::size_t max_characters) {
        std::string value = text(name, max_characters);
        if (value.empty()) {
            refuse(name, fmt::format("is missing; add a line `{}: ...`", name));
        }
        return value;
    }

    /// A list of texts, or one text with spaces between them.
    std::vector<std::string> words(const std::string& name) {
        std::vector<std::string> found;
        const auto field = values_.find(name);
        if (field == values_.end()) {
            return found;
        }
        if (field->second.kind == value_kind::scalar) {
            std::istringstream stream{field->second.text};
            for (std::string word; stream >> word;) {
                found.push_back(word);
            }
            return found;
        }
        for (std::size_t index = 0;; ++index) {
            const auto one = values_.find(fmt::format("{}[{}]", name, index));
            if (one == values_.end()) {
                break;
            }
            if (one->second.kind != value_kind::scalar) {
                refuse(name, "must be a list of texts");
            }
            found.push_back(one->second.text);
        }
        return found;
    }

    std::map<std::string, std::string> texts_in(const std::string& name) {
        std::map<std::string, std::string> found;
        const auto field = values_.find(name);
        if (field == values_.end()) {
            return found;
        }
        if (field->second.kind != value_kind::map) {
            refuse(name, "must be a map of texts");
            return found;
        }
        const std::string prefix = name + '.';
        for (auto one = values_.lower_bound(prefix);
             one != values_.end() && one->first.starts_with(prefix);
             ++one) {
            if (one->second.kind != value_kind::scalar) {
                refuse(name, "must be a map of texts");
            }
            found.emplace(one->first.substr(prefix.size()), one->second.text);
        }
        return found;
    }

    void refuse(std::string_view field, std::string_view what) {
        if (!fault_) {
            fault_ = invalid(fmt::format("field `{}` {}", field, what));
        }
    }

   private:
    yaml_values values_;
    std::optional<pull_failure> fault_;
};

/// Lower-case letters, digits and single hyphens between them: it ends up in names of tools and files.
bool is_skill_name(std::string_view name) {
    const auto is_of_name = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    };
    return std::ranges::all_of(name, is_of_name) && !name.starts_with('-') &&
           !name.ends_with('-') && name.find("--") == std::string_view::npos;
}

/// Takes a line off the front, without its end.
std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    return line;
}

}  // namespace

pulled<skill_document> read_skill_file(std::string_view text) {
    if (text.size() > max_skill_file_bytes) {
        return invalid(fmt::format(
            "has more than {} bytes; move parts of it into files beside it", max_skill_file_bytes
        ));
    }
    if (clean_length(text) != text.size()) {
        return invalid("is not UTF-8; save it as UTF-8");
    }
    if (text.starts_with("\xEF\xBB\xBF")) {
        text.remove_prefix(3);
    }
    if (take_line(text) != "---") {
        return invalid("does not begin with a line `---`; put name and description there");
    }
    std::string front;
    for (;;) {
        if (text.empty()) {
            return invalid("the front matter does not end; add a line `---` behind it");
        }
        const std::string_view line = take_line(text);
        if (line == "---") {
            break;
        }
        front += line;
        front += '\n';
        if (front.size() > max_front_matter_bytes) {
            return invalid(fmt::format(
                "the front matter has more than {} bytes; shorten it", max_front_matter_bytes
            ));
        }
    }
    auto values = read_yaml(front);
    if (!values) {
        return values.error();
    }
    const auto top = values->find("");
    if (top == values->end() || top->second.kind != value_kind::map) {
        return invalid("the front matter must be fields; add a line `name: ...`");
    }
    field_reader fields{*std::move(values)};
    skill_document read;
    read.about.name = fields.needed_text("name", max_skill_name);
    if (!is_skill_name(read.about.name)) {
        fields.refuse("name", "takes lower-case letters, digits and single hyphens; rename it");
    }
    read.about.description = fields.needed_text("description", max_skill_description);
    read.about.license = fields.text("license", max_skill_description);
    read.about.compatibility = fields.text("compatibility", max_skill_description);
    read.about.allowed_tools = fields.words("allowed-tools");
    read.about.metadata = fields.texts_in("metadata");
    if (fields.fault()) {
        return *fields.fault();
    }
    read.body = text;
    return read;
}

}  // namespace convene
