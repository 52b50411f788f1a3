// SPDX-License-Identifier: Apache-2.0
// Names from outside: what is let through.
#include "skill/skill_paths.hpp"

#include <algorithm>
#include <vector>

#include "base/utf8.hpp"

namespace convene {

namespace {

constexpr std::size_t max_name_bytes = 255;
constexpr std::size_t max_reference_bytes = 200;
constexpr std::size_t shown_bytes = 120;

bool is_control(char32_t code_point) noexcept {
    return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
}

bool is_plain_text(std::string_view text) noexcept {
    while (!text.empty()) {
        const utf8_step step = read_utf8(text);
        if (step.fault != utf8_fault::none || is_control(step.code_point) ||
            step.code_point == U'\\') {
            return false;
        }
        text.remove_prefix(step.length);
    }
    return true;
}

/// Also as a file system without regard to case reads it.
bool is_git_folder(std::string_view name) noexcept {
    constexpr std::string_view git = ".git";
    return std::ranges::equal(name, git, [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + ('a' - 'A')) : a) == b;
    });
}

bool is_file_name(std::string_view name) noexcept {
    return !name.empty() && name.size() <= max_name_bytes && name != "." && name != ".." &&
           !is_git_folder(name);
}

bool is_hexadecimal(char c) noexcept { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

bool is_of_reference(char c) noexcept {
    return c > ' ' && c < 0x7F &&
           std::string_view{"~^:?*[\\\"'`$;|&<>(){}!#%=,"}.find(c) == std::string_view::npos;
}

}  // namespace

bool is_inner_path(std::string_view path) noexcept {
    if (path.size() > max_inner_path_bytes || !is_plain_text(path)) {
        return false;
    }
    for (;;) {
        const std::size_t slash = path.find('/');
        if (!is_file_name(path.substr(0, slash))) {
            return false;
        }
        if (slash == std::string_view::npos) {
            return true;
        }
        path.remove_prefix(slash + 1);
    }
}

bool is_reference(std::string_view text) noexcept {
    return !text.empty() && text.size() <= max_reference_bytes &&
           std::ranges::all_of(text, is_of_reference) && text.front() != '-' &&
           text.front() != '+' && text.front() != '/' && text.back() != '/' && text.back() != '.' &&
           !text.ends_with(".lock") && text.find("..") == std::string_view::npos &&
           text.find("//") == std::string_view::npos && text.find("@@") == std::string_view::npos &&
           text != "@";
}

bool is_commit(std::string_view text) noexcept {
    constexpr std::size_t sha1 = 40;
    constexpr std::size_t sha256 = 64;
    return (text.size() == sha1 || text.size() == sha256) &&
           std::ranges::all_of(text, is_hexadecimal);
}

std::string path_of_link(std::string_view link, std::string_view target) {
    if (target.empty() || target.front() == '/') {
        return {};
    }
    std::vector<std::string_view> parts;
    const auto walk = [&parts](std::string_view path) {
        while (!path.empty()) {
            const std::size_t slash = std::min(path.find('/'), path.size());
            const std::string_view part = path.substr(0, slash);
            path.remove_prefix(std::min(slash + 1, path.size()));
            if (part == "..") {
                if (parts.empty()) {
                    return false;
                }
                parts.pop_back();
            } else if (!part.empty() && part != ".") {
                parts.push_back(part);
            }
        }
        return true;
    };
    const std::size_t folder_end = link.rfind('/');
    const std::string_view folder = folder_end == std::string_view::npos
                                        ? std::string_view{}
                                        : link.substr(0, folder_end);
    if (!walk(folder) || !walk(target)) {
        return {};
    }
    std::string path;
    for (const std::string_view part : parts) {
        path += path.empty() ? "" : "/";
        path += part;
    }
    return path;
}

std::string shown_name(std::string_view name) {
    std::string shown;
    while (!name.empty() && shown.size() < shown_bytes) {
        const utf8_step step = read_utf8(name);
        const bool is_fine = step.fault == utf8_fault::none && !is_control(step.code_point);
        append_utf8(shown, is_fine ? step.code_point : replacement_character);
        name.remove_prefix(step.length);
    }
    return name.empty() ? shown : shown + "...";
}

}  // namespace convene
