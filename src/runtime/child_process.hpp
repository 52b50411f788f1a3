// SPDX-License-Identifier: Apache-2.0
// `child_process`: another program, run without a shell, with nothing of ours but what it is given.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/error.hpp"
#include "convene/loop.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

struct child_command {
    std::filesystem::path program;                  ///< absolute; see `find_program`
    std::vector<std::string> arguments{};           ///< behind the program's own name
    std::vector<std::string> environment{};         ///< `NAME=VALUE`: these and no others
    std::filesystem::path folder{"/"};              ///< where it works
    std::optional<std::size_t> max_file_bytes{};    ///< of any file that it writes
    std::optional<std::size_t> max_memory_bytes{};  ///< of addresses of each of its processes
};

/// How a child ended: an exit status, or a signal.
struct child_end {
    int status = 0;
    int signal = 0;  ///< 0: it exited by itself

    [[nodiscard]] bool is_success() const noexcept { return status == 0 && signal == 0; }

    friend bool operator==(const child_end&, const child_end&) = default;
};

/// A program that runs beside us, in a process group of its own, with pipes for its input, output and errors.
///
/// It gets no descriptor, no signal mask and no variable of ours. When it has ended, and when this object ends it, all
/// of its group that is left is killed. Should this process be killed, the program is killed with it, and what it
/// started finds its pipes closed.
///
/// *Thread safety*: loop only. *Lifetime*: `wait` has returned before it is destroyed.
/// *Errors* of all operations: `io_failed`, `connection_closed` (the child closed its side), `cancelled`, `timed_out`.
class child_process {
   public:
    /// *Errors*: `not_found` (no such program or folder), `io_failed`.
    [[nodiscard]] static result<std::unique_ptr<child_process>> start(
        loop& where, const child_command& command
    );

    child_process(const child_process&) = delete;
    child_process& operator=(const child_process&) = delete;
    ~child_process();

    /// At least one byte; 0: the child has closed its output. *Cancellation*: at any time, nothing is lost.
    [[nodiscard]] awaitable<result<std::size_t>> read_output(char* into, std::size_t size);
    [[nodiscard]] awaitable<result<std::size_t>> read_errors(char* into, std::size_t size);

    /// All of `text`. *Cancellation*: some of it may have been written.
    [[nodiscard]] awaitable<result<>> write_input(std::string text);
    void close_input() noexcept;

    /// Ends its whole group, at once and without a word. It still has to be waited for.
    void kill() noexcept;

    /// Returns when the child has ended and nothing is left of its group. *Cancellation*: kills it, and then waits on;
    /// the answer is the reason of the cancellation.
    [[nodiscard]] awaitable<result<child_end>> wait();

   private:
    class implementation;

    explicit child_process(std::unique_ptr<implementation> impl);

    std::unique_ptr<implementation> impl_;
};

/// What a child said until its end.
struct child_output {
    child_end end;
    std::string output;
    std::string errors;  ///< its beginning, where it is longer than the limit
};

struct child_output_limits {
    std::size_t output_bytes = 1024 * 1024;  ///< beyond: the child is killed, `payload_too_large`
    std::size_t error_bytes = 64 * 1024;
};

/// Runs a program to its end, with `input` to read. *Cancellation*: as of `child_process::wait`.
/// *Errors*: as of `child_process::start`; `payload_too_large`.
[[nodiscard]] awaitable<result<child_output>> run_child(
    loop* where, child_command command, std::string input, child_output_limits limits
);

/// The program of this name in the folders of `path`, which is as the variable PATH; empty: there is none.
[[nodiscard]] std::filesystem::path find_program(std::string_view name, std::string_view path);

}  // namespace convene
