// SPDX-License-Identifier: Apache-2.0
// Child processes: fork, a few calls that are safe behind it, exec; then pipes and a process descriptor on the loop.
#include "runtime/child_process.hpp"

#include "convene/task_scope.hpp"
#include "convene/wait.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "base/assert.hpp"
#include "runtime/io_operation.hpp"
#include "runtime/loop_reactor.hpp"

namespace convene {

namespace {

using boost::asio::posix::stream_descriptor;

/// A descriptor that is closed unless it is given away.
class owned_fd {
   public:
    owned_fd() = default;

    explicit owned_fd(int fd) noexcept : fd_(fd) {}

    owned_fd(owned_fd&& other) noexcept : fd_(other.release()) {}

    owned_fd& operator=(owned_fd&& other) noexcept {
        reset(other.release());
        return *this;
    }

    ~owned_fd() { reset(-1); }

    [[nodiscard]] int get() const noexcept { return fd_; }

    [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }

   private:
    void reset(int fd) noexcept {
        if (fd_ >= 0) {
            ::close(fd_);
        }
        fd_ = fd;
    }

    int fd_ = -1;
};

struct pipe_ends {
    owned_fd reading;
    owned_fd writing;
};

/// Never the standard three, which the child's sides are put over.
pipe_ends lifted(std::array<int, 2> ends) {
    for (int& end : ends) {
        if (end > STDERR_FILENO) {
            continue;
        }
        const int higher = ::fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        ::close(end);
        end = higher;
    }
    return {owned_fd{ends[0]}, owned_fd{ends[1]}};
}

result<pipe_ends> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return errc::io_failed;
    }
    return lifted(ends);
}

/// A pair of sockets: a write to one can be told not to raise SIGPIPE.
result<pipe_ends> make_input() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return errc::io_failed;
    }
    return lifted(ends);
}

/// Texts as `execve` takes them. *Lifetime*: of the texts.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

void limit(int resource, std::optional<std::size_t> bytes) {
    if (bytes) {
        const rlimit both{*bytes, *bytes};
        ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
    }
}

/// What the child does between fork and exec. Other threads of the parent may have held any lock: nothing here
/// allocates, and all that is needed was made before.
struct launch {
    const char* program;
    const char* folder;
    char* const* arguments;
    char* const* environment;
    std::array<int, 3> standard;  ///< what becomes its input, output and errors
    int telling;                  ///< where a failure is told; exec closes it
    pid_t parent;
    std::optional<std::size_t> max_file_bytes;
    std::optional<std::size_t> max_memory_bytes;

    [[noreturn]] void run() const noexcept {
        ::setpgid(0, 0);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) {
            ::_exit(1);  // it died before it could be asked to take us along
        }
        sigset_t none{};
        sigemptyset(&none);
        ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
        // Handlers end with exec; what is ignored would stay ignored.
        std::signal(SIGPIPE, SIG_DFL);
        std::signal(SIGINT, SIG_DFL);
        std::signal(SIGTERM, SIG_DFL);
        limit(RLIMIT_FSIZE, max_file_bytes);
        limit(RLIMIT_AS, max_memory_bytes);
        limit(RLIMIT_CORE, 0);
        for (int number = 0; number < 3; ++number) {
            if (::dup2(standard[static_cast<std::size_t>(number)], number) < 0) {
                fail();
            }
        }
        if (::chdir(folder) != 0) {
            fail();
        }
        // Only on exec, so that a failure of it can still be told.
        ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
        ::execve(program, arguments, environment);
        fail();
    }

    [[noreturn]] void fail() const noexcept {
        const int reason = errno;
        const ssize_t told = ::write(telling, &reason, sizeof reason);
        ::_exit(told == sizeof reason ? 1 : 2);
    }
};

errc errc_of_start(int reason) noexcept {
    return reason == ENOENT || reason == ENOTDIR || reason == EACCES ? errc::not_found
                                                                     : errc::io_failed;
}

/// Blocks until the child has become the program, which takes as long as a fork, or tells why it could not.
result<> hear_of_start(owned_fd telling) {
    int reason = 0;
    ssize_t heard = 0;
    do {
        heard = ::read(telling.get(), &reason, sizeof reason);
    } while (heard < 0 && errno == EINTR);
    return heard == 0 ? result<>{} : result<>{errc_of_start(reason)};
}

void reap(pid_t child, int* status) noexcept {
    while (::waitpid(child, status, 0) < 0 && errno == EINTR) {
    }
}

/// Waits until a descriptor can be read or written. *Cancellation*: at any time.
awaitable<result<>> until_ready(stream_descriptor* on, stream_descriptor::wait_type what) {
    auto waiting = io_operation{
        [on, what](io_completion& told) { on->async_wait(what, report_to{told}); },
        [on] {
            error_code ignored;
            on->cancel(ignored);
        }
    };
    const result<std::size_t> waited = co_await waiting;
    if (waited) {
        co_return result<>{};
    }
    const bool is_ours = waited.error().category() == convene_category();
    co_return is_ours ? waited.error() : make_error_code(errc::io_failed);
}

awaitable<result<std::size_t>> read_some(stream_descriptor* from, char* into, std::size_t size) {
    for (;;) {
        const ssize_t got = ::read(from->native_handle(), into, size);
        if (got >= 0) {
            co_return static_cast<std::size_t>(got);
        }
        if (errno != EAGAIN && errno != EINTR) {
            co_return errc::io_failed;
        }
        const result<> ready = co_await until_ready(from, stream_descriptor::wait_read);
        if (!ready) {
            co_return ready.error();
        }
    }
}

}  // namespace

class child_process::implementation {
   public:
    implementation(
        loop& where, pid_t child, owned_fd process, owned_fd input, owned_fd output, owned_fd errors
    )
        : child(child),
          process(loop_reactor::of(where), process.release()),
          input(loop_reactor::of(where), input.release()),
          output(loop_reactor::of(where), output.release()),
          errors(loop_reactor::of(where), errors.release()) {
        this->input.non_blocking(true);
        this->output.non_blocking(true);
        this->errors.non_blocking(true);
    }

    /// As long as the child was not waited for, its number, and so the group's, is nobody else's.
    void kill_group() const noexcept {
        if (!end) {
            ::kill(-child, SIGKILL);
        }
    }

    pid_t child;
    stream_descriptor process;
    stream_descriptor input;
    stream_descriptor output;
    stream_descriptor errors;
    std::optional<child_end> end;
};

result<std::unique_ptr<child_process>> child_process::start(
    loop& where, const child_command& command
) {
    result<pipe_ends> input = make_input();
    result<pipe_ends> output = make_pipe();
    result<pipe_ends> errors = make_pipe();
    result<pipe_ends> telling = make_pipe();
    if (!input || !output || !errors || !telling) {
        return errc::io_failed;
    }
    std::vector<std::string> arguments{command.program.native()};
    arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
    std::vector<std::string> environment = command.environment;
    const std::vector<char*> argument_pointers = pointers_to(arguments);
    const std::vector<char*> environment_pointers = pointers_to(environment);
    const launch how{
        command.program.c_str(),
        command.folder.c_str(),
        argument_pointers.data(),
        environment_pointers.data(),
        {input->reading.get(), output->writing.get(), errors->writing.get()},
        telling->writing.get(),
        ::getpid(),
        command.max_file_bytes,
        command.max_memory_bytes,
    };
    const pid_t child = ::fork();
    if (child == 0) {
        how.run();
    }
    if (child < 0) {
        return errc::io_failed;
    }
    telling->writing = owned_fd{};
    const result<> started = hear_of_start(std::move(telling->reading));
    if (!started) {
        reap(child, nullptr);
        return started.error();
    }
    owned_fd process{static_cast<int>(::syscall(SYS_pidfd_open, child, 0))};
    if (process.get() < 0) {
        ::kill(-child, SIGKILL);
        reap(child, nullptr);
        return errc::io_failed;
    }
    auto impl = std::make_unique<implementation>(
        where,
        child,
        std::move(process),
        std::move(input->writing),
        std::move(output->reading),
        std::move(errors->reading)
    );
    return std::unique_ptr<child_process>{new child_process{std::move(impl)}};
}

child_process::child_process(std::unique_ptr<implementation> impl) : impl_(std::move(impl)) {}

child_process::~child_process() {
    CONVENE_ASSERT(impl_->end, "a child process was left without being waited for");
}

awaitable<result<std::size_t>> child_process::read_output(char* into, std::size_t size) {
    return read_some(&impl_->output, into, size);
}

awaitable<result<std::size_t>> child_process::read_errors(char* into, std::size_t size) {
    return read_some(&impl_->errors, into, size);
}

awaitable<result<>> child_process::write_input(std::string text) {
    std::string_view rest{text};
    while (!rest.empty()) {
        if (!impl_->input.is_open()) {
            co_return errc::connection_closed;
        }
        const ssize_t put = ::send(
            impl_->input.native_handle(), rest.data(), rest.size(), MSG_NOSIGNAL
        );
        if (put >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(put));
            continue;
        }
        if (errno == EPIPE || errno == ECONNRESET) {
            co_return errc::connection_closed;
        }
        if (errno != EAGAIN && errno != EINTR) {
            co_return errc::io_failed;
        }
        const result<> ready = co_await until_ready(&impl_->input, stream_descriptor::wait_write);
        if (!ready) {
            co_return ready.error();
        }
    }
    co_return result<>{};
}

void child_process::close_input() noexcept {
    error_code ignored;
    impl_->input.close(ignored);
}

void child_process::kill() noexcept { impl_->kill_group(); }

awaitable<result<child_end>> child_process::wait() {
    if (impl_->end) {
        co_return *impl_->end;
    }
    const result<> ended = co_await until_ready(&impl_->process, stream_descriptor::wait_read);
    if (!ended) {
        kill();
        auto dying = until_ready(&impl_->process, stream_descriptor::wait_read);
        const result<> died = co_await shielded(std::move(dying));
        CONVENE_ASSERT(died, "a process descriptor can be waited for");
    }
    // It is not reaped yet: its group is still ours to end.
    impl_->kill_group();
    int status = 0;
    reap(impl_->child, &status);
    impl_->end = WIFSIGNALED(status) ? child_end{0, WTERMSIG(status)}
                                     : child_end{WEXITSTATUS(status), 0};
    if (!ended) {
        co_return ended.error();
    }
    co_return *impl_->end;
}

// -- run_child --------------------------------------------------------------------------------------------

namespace {

/// One child and what it says, each side by a task of its own.
class child_run {
   public:
    child_run(loop& where, std::unique_ptr<child_process> child, child_output_limits limits)
        : child_(std::move(child)), limits_(limits), scope_(where) {}

    awaitable<result<child_output>> run(std::string input) {
        scope_.spawn("child input", feed(std::move(input)));
        scope_.spawn("child output", take_output());
        scope_.spawn("child errors", take_errors());
        const result<child_end> ended = co_await child_->wait();
        // Its pipes have ended with its group, unless something has left that and holds them.
        const coroutine_context context = co_await this_context();
        const deadline last_words{context.where->now() + std::chrono::seconds{1}};
        auto hearing = with_deadline(last_words, scope_.join());
        co_await shielded(std::move(hearing));
        if (!ended) {
            co_return ended.error();
        }
        if (is_too_large_) {
            co_return errc::payload_too_large;
        }
        said_.end = *ended;
        co_return std::move(said_);
    }

   private:
    awaitable<void> feed(std::string input) {
        const result<> fed = co_await child_->write_input(std::move(input));
        static_cast<void>(fed);  // a child need not read what it does not need
        child_->close_input();
    }

    awaitable<void> take_output() {
        std::vector<char> buffer(chunk);
        for (;;) {
            const auto got = co_await child_->read_output(buffer.data(), buffer.size());
            if (!got || *got == 0) {
                co_return;
            }
            if (said_.output.size() + *got > limits_.output_bytes) {
                is_too_large_ = true;
                child_->kill();
                co_return;
            }
            said_.output.append(buffer.data(), *got);
        }
    }

    awaitable<void> take_errors() {
        std::vector<char> buffer(chunk);
        for (;;) {
            const auto got = co_await child_->read_errors(buffer.data(), buffer.size());
            if (!got || *got == 0) {
                co_return;
            }
            const std::size_t room = limits_.error_bytes - said_.errors.size();
            said_.errors.append(buffer.data(), std::min(room, *got));
        }
    }

    static constexpr std::size_t chunk = 64 * 1024;

    const std::unique_ptr<child_process> child_;
    const child_output_limits limits_;
    child_output said_;
    bool is_too_large_ = false;

    // the last member: its tasks use the others
    task_scope scope_;
};

}  // namespace

awaitable<result<child_output>> run_child(
    loop* where, child_command command, std::string input, child_output_limits limits
) {
    auto child = child_process::start(*where, command);
    if (!child) {
        co_return child.error();
    }
    auto running = std::make_unique<child_run>(*where, *std::move(child), limits);
    auto said = co_await running->run(std::move(input));
    co_return said;
}

std::filesystem::path find_program(std::string_view name, std::string_view path) {
    while (!path.empty()) {
        const std::size_t end = std::min(path.find(':'), path.size());
        const std::filesystem::path candidate = std::filesystem::path{path.substr(0, end)} / name;
        if (candidate.is_absolute() && ::access(candidate.c_str(), X_OK) == 0) {
            return candidate;
        }
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return {};
}

}  // namespace convene
