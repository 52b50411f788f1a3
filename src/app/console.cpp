// SPDX-License-Identifier: Apache-2.0
// Output streams: buffering, colours, failures.
#include "app/console.hpp"

#include <cerrno>
#include <cstdlib>
#include <unistd.h>

#include "app/printable.hpp"

namespace convene {

namespace {

constexpr std::size_t buffer_size = 64UL * 1024;

/// `NO_COLOR` is a convention among terminal programs: set and not empty means no colours.
bool wants_colours(int descriptor) {
    if (::isatty(descriptor) == 0) {
        return false;
    }
    const char* const refused = std::getenv("NO_COLOR");
    const char* const terminal = std::getenv("TERM");
    const bool is_dumb = terminal == nullptr || std::string_view{terminal} == "dumb";
    return (refused == nullptr || *refused == '\0') && !is_dumb;
}

std::string_view escape_of(text_style style) {
    switch (style) {
        case text_style::plain:
            return "";
        case text_style::dim:
            return "\x1b[2m";
        case text_style::bold:
            return "\x1b[1m";
        case text_style::good:
            return "\x1b[32m";
        case text_style::warning:
            return "\x1b[33m";
        case text_style::bad:
            return "\x1b[31m";
    }
    return "";
}

}  // namespace

output_stream::output_stream(int descriptor)
    : descriptor_(descriptor),
      is_terminal_(::isatty(descriptor) != 0),
      has_colours_(wants_colours(descriptor)) {}

void output_stream::write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= buffer_size) {
        flush();
    }
}

void output_stream::write_line(std::string_view text) {
    write(text);
    write("\n");
}

void output_stream::flush() {
    std::string_view rest = buffer_;
    while (!rest.empty() && !error_) {
        const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
        if (count >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno != EINTR) {
            error_ = error_code{errno, boost::system::system_category()};
        }
    }
    buffer_.clear();
}

std::string output_stream::styled(text_style style, std::string_view text) const {
    if (!has_colours_ || style == text_style::plain) {
        return std::string{text};
    }
    return std::string{escape_of(style)} + std::string{text} + "\x1b[0m";
}

void console::report(const failure& what) {
    out.flush();
    err.write_line(err.styled(text_style::bad, "convene: ") + printable(what.text));
    if (!what.remedy.empty()) {
        err.write_line("  " + printable(what.remedy));
    }
    err.flush();
}

}  // namespace convene
