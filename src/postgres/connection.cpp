// SPDX-License-Identifier: Apache-2.0
// Drives libpq without blocking: sends, flushes, reads answers in the order of what was sent.
#include "postgres/connection.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <array>
#include <libpq-fe.h>
#include <sys/socket.h>
#include <unordered_map>
#include <utility>

#include "base/assert.hpp"
#include "runtime/io_operation.hpp"
#include "runtime/loop_reactor.hpp"

namespace convene::postgres {

namespace {

using boost::asio::posix::stream_descriptor;

/// Waits until a socket can be read, or also until it can be written; whichever comes first.
class socket_wait {
   public:
    explicit socket_wait(stream_descriptor& socket) : socket_(socket) {}

    void start(io_completion& told, bool also_write) {
        told_ = &told;
        under_way_ = also_write ? 2 : 1;
        socket_.async_wait(stream_descriptor::wait_read, [this](const error_code& failure) {
            ended(failure);
        });
        if (also_write) {
            socket_.async_wait(stream_descriptor::wait_write, [this](const error_code& failure) {
                ended(failure);
            });
        }
    }

    void cancel() { socket_.cancel(); }

   private:
    void ended(const error_code& failure) {
        if (under_way_-- == 2) {
            // The first of two decides.
            failure_ = failure;
            is_decided_ = true;
            socket_.cancel();
            return;
        }
        told_->completed(is_decided_ ? failure_ : failure, 0);
    }

    stream_descriptor& socket_;
    io_completion* told_ = nullptr;
    int under_way_ = 0;
    bool is_decided_ = false;
    error_code failure_;
};

struct free_cancel {
    void operator()(PGcancel* cancel) const noexcept { PQfreeCancel(cancel); }
};

using cancel_handle = std::unique_ptr<PGcancel, free_cancel>;

/// Asks the server, over a connection of its own, to end what it is doing for another.
class cancel_request final : public external_job {
   public:
    explicit cancel_request(cancel_handle cancel) : cancel_(std::move(cancel)) {}

    void run() noexcept override {
        std::array<char, 256> refusal{};
        PQcancel(cancel_.get(), refusal.data(), static_cast<int>(refusal.size()));
    }

   private:
    cancel_handle cancel_;
};

/// What the server answers, piece by piece.
struct expected_piece {
    enum class kind { preparation, statement, end_of_group };

    kind what;
    std::size_t statement = 0;
};

}  // namespace

class connection::implementation {
   public:
    implementation(loop& where, connection_handle opened)
        : handle_(std::move(opened)), socket_(loop_reactor::of(where)) {
        socket_.assign(PQsocket(handle_.get()));
        CONVENE_ASSERT(PQsetnonblocking(handle_.get(), 1) == 0, "libpq can't be non-blocking");
        CONVENE_ASSERT(PQenterPipelineMode(handle_.get()) == 1, "a new connection is idle");
    }

    ~implementation() {
        // libpq owns the descriptor.
        if (socket_.is_open()) {
            socket_.release();
        }
    }

    [[nodiscard]] awaitable<result<>> exchange(const request* sent, std::vector<answer>* answers) {
        if (!queue(*sent)) {
            co_return errc::connection_lost;
        }
        answers->resize(sent->statements().size());
        const result<> flushed = co_await flush();
        if (!flushed) {
            co_return flushed;
        }
        for (std::size_t next = 0; next < expected_.size();) {
            const result<> readable = co_await until_answer();
            if (!readable) {
                co_return readable;
            }
            result_set piece{PQgetResult(handle_.get())};
            if (piece == nullptr) {
                // The end of what one statement answers; nothing follows a group's end.
                ++next;
                continue;
            }
            if (!take(expected_[next], std::move(piece), answers)) {
                co_return errc::connection_lost;
            }
            if (expected_[next].what == expected_piece::kind::end_of_group) {
                ++next;
            }
        }
        co_return result<>{};
    }

    [[nodiscard]] awaitable<result<>> until_readable() {
        const result<> waited = co_await wait(false);
        if (!waited) {
            co_return waited;
        }
        if (PQconsumeInput(handle_.get()) == 0) {
            co_return errc::connection_lost;
        }
        co_return result<>{};
    }

    [[nodiscard]] std::vector<notification> take_notifications() {
        std::vector<notification> all;
        while (PGnotify* const one = PQnotifies(handle_.get())) {
            all.push_back({one->relname, one->extra, one->be_pid});
            PQfreemem(one);
        }
        return all;
    }

    [[nodiscard]] cancel_handle to_cancel() const {
        return cancel_handle{PQgetCancel(handle_.get())};
    }

    /// Closing resets the connection. The end of one that closes in order stands behind the bytes that the server has
    /// not acknowledged: one whose answers are lost would go on holding the worker's key, and the room's, until the
    /// server gave it up by itself.
    void reset_when_closed() const noexcept {
        const linger at_once{.l_onoff = 1, .l_linger = 0};
        ::setsockopt(PQsocket(handle_.get()), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }

   private:
    /// Hands everything to libpq's buffer.
    [[nodiscard]] bool queue(const request& sent) {
        expected_.clear();
        PGconn* const connection = handle_.get();
        const std::vector<request::statement>& all = sent.statements();
        for (std::size_t i = 0; i < all.size(); ++i) {
            const request::statement& one = all[i];
            const int count = one.values.parameter_count();
            prepared& known = prepared_[one.sql];
            if (known.name.empty()) {
                known.name = "r" + std::to_string(prepared_.size());
            }
            if (!known.is_ready) {
                const statement_text text{one.sql};
                const int queued = PQsendPrepare(
                    connection,
                    known.name.c_str(),
                    text.text.c_str(),
                    count,
                    one.values.types().data()
                );
                if (queued == 0) {
                    return false;
                }
                // The same text again in this request finds it prepared, if the first was.
                known.is_ready = true;
                expected_.push_back({expected_piece::kind::preparation, i});
            }
            const std::vector<const char*> values = one.values.pointers();
            const std::vector<int> lengths = one.values.lengths();
            const int queued = PQsendQueryPrepared(
                connection, known.name.c_str(), count, values.data(), lengths.data(), nullptr, 0
            );
            if (queued == 0) {
                return false;
            }
            expected_.push_back({expected_piece::kind::statement, i});
            if (one.ends_group || i + 1 == all.size()) {
                if (PQpipelineSync(connection) == 0) {
                    return false;
                }
                expected_.push_back({expected_piece::kind::end_of_group, i});
            }
        }
        sent_ = &sent;
        return true;
    }

    [[nodiscard]] awaitable<result<>> flush() {
        for (;;) {
            const int left = PQflush(handle_.get());
            if (left == 0) {
                co_return result<>{};
            }
            if (left < 0) {
                co_return errc::connection_lost;
            }
            // A server whose answers are not read stops reading.
            const result<> waited = co_await wait(true);
            if (!waited) {
                co_return waited;
            }
            if (PQconsumeInput(handle_.get()) == 0) {
                co_return errc::connection_lost;
            }
        }
    }

    [[nodiscard]] awaitable<result<>> until_answer() {
        while (PQisBusy(handle_.get()) == 1) {
            const result<> readable = co_await until_readable();
            if (!readable) {
                co_return readable;
            }
        }
        co_return result<>{};
    }

    [[nodiscard]] awaitable<result<>> wait(bool also_write) {
        socket_wait waiting{socket_};
        auto start = [&waiting, also_write](io_completion& told) {
            waiting.start(told, also_write);
        };
        auto cancel = [&waiting] { waiting.cancel(); };
        io_operation operation{start, cancel};
        const result<std::size_t> ended = co_await operation;
        if (!ended) {
            co_return ended.error();
        }
        co_return result<>{};
    }

    /// False if the answer is not what was expected: then the connection is of no use.
    [[nodiscard]] bool take(
        const expected_piece& expected, result_set piece, std::vector<answer>* answers
    ) {
        const ExecStatusType status = PQresultStatus(piece.get());
        if (expected.what == expected_piece::kind::end_of_group) {
            return status == PGRES_PIPELINE_SYNC;
        }
        if (status == PGRES_PIPELINE_SYNC) {
            return false;
        }
        answer& given = (*answers)[expected.statement];
        const bool is_preparation = expected.what == expected_piece::kind::preparation;
        if (status == PGRES_PIPELINE_ABORTED) {
            if (!given.error) {
                given.error = server_error{errc::cancelled, {}, "an earlier statement failed"};
            }
        } else if (std::optional<server_error> error = error_in(piece.get())) {
            given.error = std::move(error);
        } else if (!is_preparation) {
            given.rows = result_rows{std::move(piece)};
        }
        if (is_preparation && given.error) {
            prepared_[sent_->statements()[expected.statement].sql].is_ready = false;
        }
        return true;
    }

    struct prepared {
        std::string name;
        bool is_ready = false;
    };

    connection_handle handle_;
    stream_descriptor socket_;
    std::unordered_map<std::string, prepared> prepared_;

    // of the request that is under way
    const request* sent_ = nullptr;
    std::vector<expected_piece> expected_;
};

connection::connection(loop& where, blocking_pool& helpers, connection_handle opened)
    : helpers_(helpers), impl_(std::make_unique<implementation>(where, std::move(opened))) {}

connection::~connection() = default;

awaitable<result<std::vector<answer>>> connection::run(request sent) {
    if (is_broken_) {
        co_return errc::connection_lost;
    }
    std::vector<answer> answers;
    const result<> exchanged = co_await impl_->exchange(&sent, &answers);
    if (!exchanged) {
        if (exchanged.error() != errc::connection_lost) {
            ask_to_stop();
        }
        close();
        co_return exchanged.error();
    }
    co_return std::move(answers);
}

awaitable<result<std::vector<notification>>> connection::wait_for_notifications() {
    if (is_broken_) {
        co_return errc::connection_lost;
    }
    std::vector<notification> came = impl_->take_notifications();
    while (came.empty()) {
        const result<> readable = co_await impl_->until_readable();
        if (!readable) {
            if (readable.error() == errc::connection_lost) {
                close();
            }
            co_return readable.error();
        }
        came = impl_->take_notifications();
    }
    co_return std::move(came);
}

std::vector<notification> connection::take_notifications() {
    return is_broken_ ? std::vector<notification>{} : impl_->take_notifications();
}

void connection::ask_to_stop() {
    const bool is_on_its_way = helpers_.submit(std::make_unique<cancel_request>(impl_->to_cancel())
    );
    static_cast<void>(is_on_its_way);  // without one the server notices within a second
}

void connection::close() noexcept {
    is_broken_ = true;
    if (impl_ != nullptr) {
        impl_->reset_when_closed();
    }
    impl_.reset();
}

}  // namespace convene::postgres
