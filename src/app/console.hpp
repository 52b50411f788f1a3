// SPDX-License-Identifier: Apache-2.0
// The two output streams of the program: buffered, with colours only on a terminal.
#pragma once

#include "convene/error.hpp"

#include <string>
#include <string_view>

#include "app/failure.hpp"

namespace convene {

enum class text_style { plain, dim, bold, good, warning, bad };

/// Text on its way to a file descriptor.
///
/// Writing blocks, on the loop too: a command has nothing better to do than to wait for its reader.
/// The first failure sticks; nothing is written after it.
class output_stream {
   public:
    explicit output_stream(int descriptor);
    output_stream(const output_stream&) = delete;
    output_stream& operator=(const output_stream&) = delete;

    void write(std::string_view text);
    void write_line(std::string_view text);
    void flush();

    [[nodiscard]] bool is_terminal() const noexcept { return is_terminal_; }

    /// The text in a style where this stream shows colours, else as it is.
    [[nodiscard]] std::string styled(text_style style, std::string_view text) const;

    /// Empty while everything could be written.
    [[nodiscard]] const error_code& error() const noexcept { return error_; }

   private:
    const int descriptor_;
    const bool is_terminal_;
    const bool has_colours_;
    std::string buffer_;
    error_code error_;
};

/// Standard output for answers, standard error for everything else.
class console {
   public:
    console() : out(1), err(2) {}

    output_stream out;
    output_stream err;

    /// Writes `convene: text`, and below it what to do.
    void report(const failure& what);
};

}  // namespace convene
