// SPDX-License-Identifier: Apache-2.0
// Skill trees: what git says of a commit, read without trust.
#include "skill/skill_tree.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "skill/skill_paths.hpp"

namespace convene {

namespace {

/// A link may lead to a link, so often.
constexpr int max_links_in_a_row = 8;

pull_failure unknown_answer() {
    return {"git_failed", "git said something that this version does not understand"};
}

pull_failure about(std::string word, std::string_view path, std::string_view what) {
    return {std::move(word), fmt::format("{}: {}", shown_name(path), what)};
}

std::optional<std::size_t> number_in(std::string_view digits) {
    std::size_t number = 0;
    const auto [end, failure] = std::from_chars(
        digits.data(), digits.data() + digits.size(), number
    );
    const bool is_whole = failure == std::errc{} && end == digits.data() + digits.size();
    return is_whole ? std::optional{number} : std::nullopt;
}

/// Takes what stands before a separator off the front; nothing, where there is none.
std::optional<std::string_view> take_until(std::string_view& text, char separator) {
    const std::size_t at = text.find(separator);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view taken = text.substr(0, at);
    text.remove_prefix(at + 1);
    return taken;
}

std::optional<tree_entry::kind> kind_of(std::string_view mode) {
    if (mode == "100644" || mode == "100664") {
        return tree_entry::kind::file;
    }
    if (mode == "100755") {
        return tree_entry::kind::program;
    }
    return mode == "120000" ? std::optional{tree_entry::kind::link} : std::nullopt;
}

/// `MODE TYPE OBJECT    SIZE\tPATH`
pulled<tree_entry> read_entry(std::string_view line, const tree_limits& limits) {
    const auto mode = take_until(line, ' ');
    const auto type = take_until(line, ' ');
    const auto object = take_until(line, ' ');
    auto size = take_until(line, '\t');
    if (!mode || !type || !object || !size) {
        return unknown_answer();
    }
    if (*type == "commit") {
        return about("submodule", line, "is a submodule; put its files into the repository");
    }
    const auto kind = kind_of(*mode);
    size->remove_prefix(std::min(size->find_first_not_of(' '), size->size()));
    const std::optional<std::size_t> bytes = number_in(*size);
    if (!kind || !bytes || !is_commit(*object)) {
        return unknown_answer();
    }
    if (!is_inner_path(line)) {
        return about(
            "bad_file_name", line, "is no name that a file of a skill can have; rename it"
        );
    }
    if (*bytes > limits.file_bytes) {
        return about(
            "file_too_large",
            line,
            fmt::format("has {} bytes; a file of a skill has at most {}", *bytes, limits.file_bytes)
        );
    }
    return tree_entry{*kind, std::string{*object}, *bytes, std::string{line}};
}

pull_failure too_large(const tree_limits& limits) {
    return {
        "too_large",
        fmt::format("the files of a skill have at most {} bytes together", limits.all_bytes)
    };
}

}  // namespace

pulled<std::vector<tree_entry>> read_tree(std::string_view listing, const tree_limits& limits) {
    std::vector<tree_entry> entries;
    std::set<std::string_view> seen;
    std::size_t bytes = 0;
    while (!listing.empty()) {
        const auto line = take_until(listing, '\0');
        if (!line) {
            return unknown_answer();
        }
        auto entry = read_entry(*line, limits);
        if (!entry) {
            return entry.error();
        }
        const std::string_view path = line->substr(line->size() - entry->path.size());
        if (!seen.insert(path).second) {
            return about("bad_file_name", path, "is there twice");
        }
        bytes += entry->size;
        if (bytes > limits.all_bytes) {
            return too_large(limits);
        }
        if (entries.size() == limits.files) {
            return pull_failure{
                "too_many_files", fmt::format("a skill has at most {} files", limits.files)
            };
        }
        entries.push_back(*std::move(entry));
    }
    return entries;
}

std::string blobs_wanted(const std::vector<tree_entry>& entries) {
    std::string wanted;
    for (const tree_entry& entry : entries) {
        wanted += entry.object + '\n';
    }
    return wanted;
}

pulled<std::vector<revision_file>> read_files(
    const std::vector<tree_entry>& entries, std::string_view blobs, const tree_limits& limits
) {
    // `OBJECT blob SIZE\n`, the content, a line end.
    std::map<std::string_view, std::pair<const tree_entry*, std::string_view>> contents;
    for (const tree_entry& entry : entries) {
        const auto head = take_until(blobs, '\n');
        if (!head || *head != fmt::format("{} blob {}", entry.object, entry.size) ||
            blobs.size() < entry.size + 1) {
            return unknown_answer();
        }
        contents[entry.path] = {&entry, blobs.substr(0, entry.size)};
        blobs.remove_prefix(entry.size + 1);
    }
    std::vector<revision_file> files;
    std::size_t bytes = 0;
    for (const tree_entry& entry : entries) {
        auto found = contents.find(entry.path);
        for (int followed = 0; found->second.first->what == tree_entry::kind::link; ++followed) {
            const std::string target = path_of_link(found->first, found->second.second);
            if (target.empty()) {
                return about(
                    "link_leaves_skill", entry.path, "is a link out of the skill's folder"
                );
            }
            found = contents.find(target);
            if (found == contents.end() || followed == max_links_in_a_row) {
                return about(
                    "link_to_no_file", entry.path, "is a link to something that is no file"
                );
            }
        }
        const auto& [source, content] = found->second;
        bytes += content.size();
        if (bytes > limits.all_bytes) {
            return too_large(limits);
        }
        files.push_back(
            {entry.path, std::string{content}, source->what == tree_entry::kind::program}
        );
    }
    return files;
}

}  // namespace convene
