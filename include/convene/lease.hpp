// SPDX-License-Identifier: Apache-2.0
// Named leases: the lock manager port, what a lease promises, and how names are formed.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/ids.hpp"
#include "convene/time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

/// What a lease protects. The numbers and words (see `word_of`) are frozen: the words are part of
/// the hashed name.
enum class lease_kind : std::uint8_t {
    room = 1,      ///< a room's commit path
    delivery = 2,  ///< a room's delivery claim
    session = 3,   ///< the driver of an agent session
    leader = 4,    ///< one elected worker for a duty
    skill = 5,     ///< pulling one skill
    schema = 6,    ///< migrations
    worker = 7,    ///< liveness of one incarnation
};

[[nodiscard]] std::string_view word_of(lease_kind kind) noexcept;

/// The kind that has this word; none of a kind that is not known here.
[[nodiscard]] std::optional<lease_kind> lease_kind_of(std::string_view word) noexcept;

/// A typed name. Two different (kind, organization, id) never encode to the same bytes, whatever
/// they contain.
class lease_name {
   public:
    lease_name(lease_kind kind, organization_id organization, std::string id);

    [[nodiscard]] static lease_name room(const organization_id& organization, const room_id& room);
    [[nodiscard]] static lease_name delivery(
        const organization_id& organization, const room_id& room
    );
    [[nodiscard]] static lease_name leader(std::string duty);

    [[nodiscard]] lease_kind kind() const noexcept { return kind_; }

    [[nodiscard]] const organization_id& organization() const noexcept { return organization_; }

    [[nodiscard]] const std::string& id() const noexcept { return id_; }

    /// The injective encoding, frozen in `docs/formats/lock-names.md`.
    [[nodiscard]] std::string encoded() const;

    /// The 64-bit key of a database lock. Two names may share one; that only serialises them.
    [[nodiscard]] std::int64_t key() const;

    /// For people: `__delivery__:{room}` for a claim, `kind:org/id` otherwise.
    [[nodiscard]] std::string display() const;

    /// For people: what its holder does under it.
    [[nodiscard]] std::string purpose() const;

    friend auto operator<=>(const lease_name&, const lease_name&) = default;

   private:
    lease_kind kind_;
    organization_id organization_;
    std::string id_;
};

enum class lease_state {
    held,     ///< the holder may act
    suspect,  ///< no news from the lock's server: start nothing new
    lost,     ///< somebody else may hold it: everything under it is cancelled
};

/// A held name. Dropping it without `release` gives it back as dirty, which is slower but never
/// wrong.
///
/// *Thread safety*: loop only.
/// *Lifetime*: released or dropped before its manager has closed; from then on it is lost.
class lease {
   public:
    lease() = default;
    lease(const lease&) = delete;
    lease& operator=(const lease&) = delete;
    virtual ~lease() = default;

    [[nodiscard]] virtual const lease_name& name() const noexcept = 0;
    [[nodiscard]] virtual lease_state state() const noexcept = 0;

    /// True while somebody waits for this name: a holder lets go at the next good point.
    [[nodiscard]] virtual bool is_wanted() const noexcept = 0;

    /// Calls `told` once: as soon as somebody waits for this name, at once if somebody does. It takes the place of what
    /// was asked before; an empty one only forgets that. `told` may not end the lease.
    void when_wanted(std::function<void()> told);

    /// Requested with `lease_lost` when the lease is lost; run the protected work under it.
    [[nodiscard]] virtual cancel_source& lost() noexcept = 0;

    /// Gives the name back and waits until others can have it. Not cancellable. Idempotent.
    /// *Errors*: `lease_lost` if it was lost before: what ran under it since then had no
    /// protection.
    [[nodiscard]] virtual awaitable<result<>> release() = 0;

   protected:
    /// For whoever implements it: somebody waits now.
    void tell_wanted();

   private:
    std::function<void()> told_when_wanted_;
};

/// A name that is held, as operators see it.
struct lease_info {
    lease_name name;
    lease_state state = lease_state::held;
    monotonic_time since{};   ///< when its holder got it
    std::size_t waiters = 0;  ///< of this process
};

/// A name that some worker of the deployment holds.
struct worker_lease {
    lease_info lease;       ///< `waiters`: of all workers
    incarnation_id worker;  ///< empty: of the process that was asked
    std::string host;       ///< of that worker, as it is on record; empty where `worker` is
};

/// What becomes of a holder that was asked for its lease and has not let go in time.
enum class stubborn_holder {
    keeps_it,
    loses_its_session,  ///< and whatever else hangs on that session
};

/// How a name got free.
enum class lease_release {
    let_go,         ///< its holder stopped first
    session_ended,  ///< its holder learns of it when it looks next; what it writes then is refused
};

/// Hands out leases. One interface for one process (in memory) and for many (PostgreSQL).
class lock_manager {
   public:
    virtual ~lock_manager() = default;

    /// Waits for the name, first come first served within the process. A caller that is cancelled,
    /// or late, by the time its turn comes gets nothing: the name goes to the next.
    ///
    /// *Cancellation*: at any time; the place in the queue is given up and nothing is left behind.
    /// *Errors*: `timed_out`, `cancelled`, `lease_capacity`, `unavailable` (closed).
    [[nodiscard]] virtual awaitable<result<std::unique_ptr<lease>>> acquire(
        lease_name name, deadline until
    ) = 0;

    /// Takes the name if it is free. *Errors*: `lease_busy`, `lease_capacity`, `unavailable`.
    [[nodiscard]] virtual awaitable<result<std::unique_ptr<lease>>> try_acquire(lease_name name
    ) = 0;

    /// The names that this process holds, in no order. None from a manager that keeps no table of them.
    [[nodiscard]] virtual std::vector<lease_info> list() const;

    /// Takes a name away from its holder in this process: it is told that its lease is lost, and when it has
    /// stopped and let go the name goes to the next in line, never earlier.
    /// *Errors*: `not_found` (nobody holds it here), `timed_out` (the holder was told and has not let go yet).
    /// *Cancellation*: at any time; the holder stays told.
    [[nodiscard]] virtual awaitable<result<>> revoke(lease_name name, deadline until);

    /// The names that all workers of the deployment hold, in no order. What another worker does shows about a second
    /// later, and what it holds for less than half a second not at all. The default: `list()`.
    /// *Errors*: `unavailable`, `connection_lost`, `timed_out`, `cancelled`.
    [[nodiscard]] virtual awaitable<result<std::vector<worker_lease>>> list_all(deadline until);

    /// Takes a name away from whichever worker holds it: as `revoke`, and by asking that worker. If the holder has not
    /// let go until then, `otherwise` tells what becomes of it; ending its session takes some seconds more.
    /// The default: `revoke`.
    /// *Errors*: `not_found` (nobody holds it), `timed_out` (the holder keeps it), `unavailable` (also where the
    /// database does not let us end its session), `connection_lost`.
    /// *Cancellation*: at any time; the holder stays told.
    [[nodiscard]] virtual awaitable<result<lease_release>> take_away(
        lease_name name, stubborn_holder otherwise, deadline until
    );

    /// True if another process can't see these locks.
    [[nodiscard]] virtual bool is_process_local() const noexcept = 0;

    /// Refuses new requests, ends the waiting ones with `unavailable`, and returns when no lease is
    /// left. At `until` it declares those that are left lost and answers `timed_out`. Idempotent.
    /// *Cancellation*: at any time; the manager stays closed and the leases stay held.
    [[nodiscard]] virtual awaitable<result<>> close(deadline until) = 0;
};

/// Locks of one process: first come first served per name, nothing kept for names that nobody uses.
/// A lease is lost by being revoked, and by closing, or destroying, the manager before it was released.
[[nodiscard]] std::unique_ptr<lock_manager> make_in_memory_lock_manager(executor& where);

}  // namespace convene
