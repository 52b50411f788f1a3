// SPDX-License-Identifier: Apache-2.0
// Error codes, the conditions callers test for, and `result<T>`: how every operation reports an outcome.
#pragma once

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <string_view>
#include <type_traits>

namespace convene {

using boost::system::error_code;

/// Outcomes a correct caller can meet. The numbers are frozen: they reach logs and the wire.
/// A broken invariant is not here: it aborts (see `CONVENE_ASSERT`).
enum class errc {
    // -- any origin ------------------------------------------------------------------------------
    cancelled =
        1,  ///< the caller cancelled the operation; nothing was changed unless said otherwise
    timed_out = 2,  ///< the caller's deadline passed; nothing was changed
    outcome_unknown =
        3,  ///< the change was sent and no answer came; look it up before trying again
    invalid_argument = 4,   ///< a value from outside breaks a rule; the accompanying field names it
    unavailable = 5,        ///< the component is stopping or not started; try elsewhere or later
    overloaded = 6,         ///< a bounded queue is full; back off and retry
    corrupt_data = 7,       ///< stored or received bytes do not parse; an operator must look
    io_failed = 8,          ///< the operating system refused a read or a write
    connection_closed = 9,  ///< the other end of a connection left; what was under way for it ends
    payload_too_large = 10,  ///< a message is larger than its limit; the same one will never pass

    // -- store -----------------------------------------------------------------------------------
    not_found = 100,       ///< no such row in this organisation
    already_exists = 101,  ///< a row with this id or external id exists
    room_changed =
        102,  ///< compare missed (index, config, status, epoch): read again and decide again
    duplicate_key =
        103,  ///< the idempotency key was stored meanwhile: answer with the stored event
    duplicate_index =
        104,  ///< (room, index) exists: a broken invariant, reported loudly, nothing stored
    claim_lost =
        105,  ///< the cursor has another claimer or value: this worker no longer delivers the room
    store_busy = 106,        ///< the database is locked by another process; retry
    store_in_use = 107,      ///< another process writes this SQLite file: only one may
    schema_too_new = 108,    ///< the file was written by a newer version: upgrade this program
    schema_unknown = 109,    ///< the file is not ours or not of a known layout: nothing was touched
    index_not_unique = 110,  ///< the unique index is absent because duplicates exist: run dedupe
    connection_lost =
        111,  ///< the connection ended before the request was sent: nothing was changed
    result_already_final = 112,  ///< the delivery row has a final state: the late result is dropped

    // -- lease -----------------------------------------------------------------------------------
    lease_busy = 200,      ///< another owner holds the name (only from `try_acquire`)
    lease_lost = 201,      ///< the lease was lost while it was held: stop, do not write
    lease_capacity = 202,  ///< too many leases are held by this worker or server
    incarnation_dead =
        203,  ///< this worker was proven dead and buried: drop all state, start as a new one

    // -- room ------------------------------------------------------------------------------------
    room_closed = 300,     ///< the room is closed or archived: nothing was stored
    room_contended = 301,  ///< three decisions in a row met a changed room; retry
    would_deadlock =
        302,  ///< the send would wait for a room this chain already holds; retry or stage it
    idempotency_key_reused = 303,  ///< the key was used with another body
    event_deleted = 304,           ///< the event stored under this key was hard-deleted
    process_timeout = 305,  ///< `process_timeout` passed before the commit; nothing was stored
    hook_failed = 306,      ///< a hook threw or answered something impossible
    target_event_not_found = 307,  ///< the edited or deleted event is not in this room
    not_authorized = 308,          ///< the actor may not do this to this target
    channel_not_registered = 309,  ///< no channel object with this id in this process

    // -- access ----------------------------------------------------------------------------------
    bad_credentials = 500,    ///< no, a wrong, a used or an expired credential: log in
    too_many_attempts = 501,  ///< of logging in: wait, then try again
    last_admin = 502,         ///< the organisation would be left without an active admin
    password_needed = 503,    ///< the link sets a password: send one with it

    // -- agent -----------------------------------------------------------------------------------
    model_unavailable = 600,  ///< the provider can't be reached or keeps failing; retry later
    model_overloaded = 601,   ///< the provider takes no more requests now; wait, then retry
    model_refused =
        602,  ///< the provider refuses the request itself (key, model, content): an admin must look
    answer_cut_off = 603,  ///< the provider's answer ended before its end; what came is kept
    driver_fenced = 604,   ///< another driver has the session by now: this run stops, for good
    session_run_in_progress = 605,  ///< the session is being driven; wait for its end or cancel it
    tool_call_not_open = 606,  ///< a result for a call that nobody waits for: nothing was stored
    approval_already_resolved = 607,  ///< somebody decided before; read who, and what
    approval_expired = 608,           ///< nobody decided in time: the agent is told so
    session_awaiting_approval =
        609,  ///< people have to decide first: answer all that is asked, or decide it elsewhere
    interrupt_not_open = 610,  ///< an answer to something that this session did not ask

    // -- workflow --------------------------------------------------------------------------------
    skill_not_ready =
        700,  ///< the skill, or the revision asked for, is not here: wait for its pull
    execution_ended = 710,  ///< the execution is over: its session takes no more turns
};

/// Questions asked of a code. Compare with `==`: `if (ec == condition::retryable)`.
enum class condition {
    retryable = 1,         ///< the same request may succeed later, unchanged
    outcome_unknown = 2,   ///< it may have happened
    connection_fatal = 3,  ///< close the connection
    caller_error = 4,      ///< the request itself is at fault
};

[[nodiscard]] const boost::system::error_category& convene_category() noexcept;
[[nodiscard]] const boost::system::error_category& condition_category() noexcept;

[[nodiscard]] inline error_code make_error_code(errc code) noexcept {
    return {static_cast<int>(code), convene_category()};
}

[[nodiscard]] inline boost::system::error_condition make_error_condition(condition c) noexcept {
    return {static_cast<int>(c), condition_category()};
}

/// The stable word of a code (`room_closed`); in capitals it is the HTTP problem code.
[[nodiscard]] std::string_view name_of(errc code) noexcept;

/// A value or an error code. Errors are looked at where they arise or returned as they are.
template <class T = void>
class [[nodiscard]] result : public boost::system::result<T> {
   public:
    using boost::system::result<T>::result;

    /// Lets a function return an enumerator directly: `return errc::not_found;`.
    result(errc code) : result(make_error_code(code)) {}

    /// The inherited constructor does not take a code where `T` could be made from one, as `bool` can.
    result(error_code code) : boost::system::result<T>(boost::system::in_place_error, code) {}
};

}  // namespace convene

template <>
struct boost::system::is_error_code_enum<convene::errc> : std::true_type {};

template <>
struct boost::system::is_error_condition_enum<convene::condition> : std::true_type {};
