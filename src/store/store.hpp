// SPDX-License-Identifier: Apache-2.0
// The conversation store port: operations are values, and a commit happens under a room's tenure.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/conversation_store.hpp"
#include "convene/lease.hpp"

#include <memory>
#include <optional>
#include <string>

#include "store/tables.hpp"

namespace convene {

/// An operation on its way through a store, whatever its type.
class operation {
   public:
    virtual ~operation() = default;

    /// Runs it and keeps the answer.
    virtual void apply_to(tables& target) = 0;

    /// True if it was applied and answered an error: what it wrote must be rolled back.
    [[nodiscard]] virtual bool has_failed() const noexcept = 0;

    /// True for operations that change nothing: they may run beside a writer.
    [[nodiscard]] virtual bool is_read_only() const noexcept = 0;

    /// The operation's word, for logs, metrics and scripts: `commit`, `finish_set`, ...
    [[nodiscard]] virtual const char* name() const noexcept = 0;
};

/// The room lock together with what was read under it.
///
/// Move-only; dropping it gives the lock back as dirty.
struct room_tenure {
    std::unique_ptr<lease> lock;
    ops::load_room_head::answer head;
    std::optional<std::int64_t>
        lock_epoch;  ///< the fence, where the lock's connection can't carry the commit
};

enum class unlock_mode {
    keep,     ///< the lock stays for another batch or a retry
    release,  ///< given back once the commit is visible, in the same round trip where the store can
};

/// Where rooms live.
///
/// *Thread safety*: loop only. *Lifetime*: closed before it is destroyed.
/// *Errors*: each operation's own, and for all: `timed_out`, `cancelled`, `unavailable`, `connection_lost`
/// (nothing changed), `outcome_unknown` (a write was sent and no answer came), `store_busy`, `io_failed`.
class conversation_store {
   public:
    virtual ~conversation_store() = default;

    /// Runs one operation. *Cancellation*: a read may be left at any time; a write that was sent runs to its end
    /// and is answered.
    template <class Op>
    [[nodiscard]] awaitable<result<typename Op::answer>> run(Op request);

    /// Takes the room lock and reads the room and the keys after it was granted.
    /// The default acquires from `locks`, fences with `lock_epoch` unless the store is the only writer, and
    /// reads. *Errors*: those of `lock_manager::acquire` and `load_room_head`.
    [[nodiscard]] virtual awaitable<result<room_tenure>> enter_room(
        lock_manager* locks, ops::load_room_head head, deadline until
    );

    /// Commits under a tenure. **The commit point of a room.** Not cancellable once sent.
    /// With `unlock_mode::release` the lock is given back only after the commit is visible; on any error the
    /// tenure stays with the caller.
    [[nodiscard]] virtual awaitable<result<ops::commit::answer>> commit(
        room_tenure* tenure, ops::commit batch, unlock_mode after
    );

    /// Finishes what runs, refuses the rest. Idempotent.
    [[nodiscard]] virtual awaitable<void> close() = 0;

    /// The name in warnings and logs: `SqliteStore`, `PostgresStore`, ...
    [[nodiscard]] virtual std::string name() const = 0;

    /// True if rooms survive the process and other processes could write them: such a store needs locks that
    /// those processes see too.
    [[nodiscard]] virtual bool is_shared_between_processes() const noexcept = 0;

   protected:
    /// Applies `request`. On an error the request's answer is not looked at, and may still be written later
    /// by a thread that is busy with it.
    [[nodiscard]] virtual awaitable<result<>> execute(std::shared_ptr<operation> request) = 0;
};

namespace detail {

template <class Op>
constexpr const char* operation_name = "";
template <class Op>
constexpr bool operation_is_read_only = false;

#define CONVENE_NAME(op) \
    template <>          \
    inline constexpr const char* operation_name<ops::op> = #op;
CONVENE_STORE_OPERATIONS(CONVENE_NAME)
#undef CONVENE_NAME

#define CONVENE_READ_ONLY(op) \
    template <>               \
    inline constexpr bool operation_is_read_only<ops::op> = true;
CONVENE_READ_ONLY(get_room)
CONVENE_READ_ONLY(find_organization)
CONVENE_READ_ONLY(find_room_by_external_id)
CONVENE_READ_ONLY(list_rooms)
CONVENE_READ_ONLY(load_room_context)
CONVENE_READ_ONLY(find_route)
CONVENE_READ_ONLY(find_rooms_by_channel)
CONVENE_READ_ONLY(load_room_head)
CONVENE_READ_ONLY(find_inbound_key)
CONVENE_READ_ONLY(get_event)
CONVENE_READ_ONLY(find_events)
CONVENE_READ_ONLY(list_events)
CONVENE_READ_ONLY(summarize_threads)
CONVENE_READ_ONLY(search_events)
CONVENE_READ_ONLY(list_read_markers)
CONVENE_READ_ONLY(count_unread)
CONVENE_READ_ONLY(get_cursor)
CONVENE_READ_ONLY(load_lane)
CONVENE_READ_ONLY(find_orphaned_rooms)
CONVENE_READ_ONLY(list_deliveries)
CONVENE_READ_ONLY(list_skips)
CONVENE_READ_ONLY(take_due_outbound)
CONVENE_READ_ONLY(list_outbound_addresses)
CONVENE_READ_ONLY(get_identity)
CONVENE_READ_ONLY(resolve_identity)
CONVENE_READ_ONLY(list_tasks)
CONVENE_READ_ONLY(list_observations)
CONVENE_READ_ONLY(list_workers)
CONVENE_READ_ONLY(list_notices)
CONVENE_READ_ONLY(get_subscription)
CONVENE_READ_ONLY(read_figures)
CONVENE_READ_ONLY(get_organization)
CONVENE_READ_ONLY(list_organizations)
CONVENE_READ_ONLY(get_user)
CONVENE_READ_ONLY(find_user_by_email)
CONVENE_READ_ONLY(list_users)
CONVENE_READ_ONLY(find_api_token)
CONVENE_READ_ONLY(list_api_tokens)
CONVENE_READ_ONLY(find_auth_session)
CONVENE_READ_ONLY(find_link)
CONVENE_READ_ONLY(list_audit)
CONVENE_READ_ONLY(find_request)
#undef CONVENE_READ_ONLY

template <class Op>
class typed_operation final : public operation {
   public:
    explicit typed_operation(Op request) : request_(std::move(request)) {}

    void apply_to(tables& target) override { answer_.emplace(target.apply(request_)); }

    [[nodiscard]] bool has_failed() const noexcept override {
        return answer_ && answer_->has_error();
    }

    [[nodiscard]] bool is_read_only() const noexcept override { return operation_is_read_only<Op>; }

    [[nodiscard]] const char* name() const noexcept override { return operation_name<Op>; }

    [[nodiscard]] result<typename Op::answer> take() { return std::move(*answer_); }

   private:
    Op request_;
    std::optional<result<typename Op::answer>> answer_;
};

}  // namespace detail

template <class Op>
awaitable<result<typename Op::answer>> conversation_store::run(Op request) {
    // Shared with the store while it runs: a cancelled read may leave before its answer comes.
    auto running = std::make_shared<detail::typed_operation<Op>>(std::move(request));
    const result<> executed = co_await execute(running);
    if (!executed) {
        co_return executed.error();
    }
    co_return running->take();
}

}  // namespace convene
