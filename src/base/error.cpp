// SPDX-License-Identifier: Apache-2.0
// Error codes: the name, the message and the conditions of each.
#include "convene/error.hpp"

#include <string>

namespace convene {

namespace {

/// A set of conditions, one bit each.
using condition_set = unsigned;

constexpr condition_set bit_of(condition c) noexcept { return 1U << static_cast<unsigned>(c); }

constexpr condition_set none = 0;
constexpr condition_set retryable = bit_of(condition::retryable);
constexpr condition_set caller_error = bit_of(condition::caller_error);
constexpr condition_set connection_fatal = bit_of(condition::connection_fatal);
// Not retryable by itself: only a caller with an idempotency key may send the request again.
constexpr condition_set unknown_outcome = bit_of(condition::outcome_unknown) | connection_fatal;

struct description {
    std::string_view name;
    const char* message;
    condition_set conditions;
};

/// Without a default label, so that a new enumerator without a description does not compile.
constexpr description describe(errc code) noexcept {
    switch (code) {
        case errc::cancelled:
            return {"cancelled", "the caller cancelled the operation", none};
        case errc::timed_out:
            return {"timed_out", "the deadline passed before the operation was done", retryable};
        case errc::outcome_unknown:
            return {
                "outcome_unknown", "the change was sent and no answer came back", unknown_outcome
            };
        case errc::invalid_argument:
            return {"invalid_argument", "a value breaks a rule", caller_error};
        case errc::unavailable:
            return {"unavailable", "the component is stopping or not started", retryable};
        case errc::overloaded:
            return {"overloaded", "a bounded queue is full", retryable};
        case errc::corrupt_data:
            return {"corrupt_data", "stored or received bytes do not parse", none};
        case errc::io_failed:
            return {"io_failed", "the operating system refused a read or a write", none};
        case errc::connection_closed:
            return {"connection_closed", "the other end left the connection", connection_fatal};
        case errc::payload_too_large:
            return {"payload_too_large", "a message is larger than its limit", caller_error};

        case errc::not_found:
            return {"not_found", "no such object in this organisation", caller_error};
        case errc::already_exists:
            return {"already_exists", "an object with this id exists already", caller_error};
        case errc::room_changed:
            return {"room_changed", "the room changed since it was read", retryable};
        case errc::duplicate_key:
            return {"duplicate_key", "the idempotency key was stored meanwhile", none};
        case errc::duplicate_index:
            return {"duplicate_index", "the room has an event with this index already", none};
        case errc::claim_lost:
            return {"claim_lost", "another worker has claimed the room's delivery", none};
        case errc::store_busy:
            return {"store_busy", "the database is locked by another process", retryable};
        case errc::store_in_use:
            return {"store_in_use", "another process writes this database file", none};
        case errc::schema_too_new:
            return {"schema_too_new", "a newer version wrote this database", none};
        case errc::schema_unknown:
            return {"schema_unknown", "the database does not have a known layout", none};
        case errc::index_not_unique:
            return {"index_not_unique", "duplicates keep the index from being unique", none};
        case errc::connection_lost:
            return {
                "connection_lost",
                "the connection ended before the request was sent",
                retryable | connection_fatal
            };
        case errc::result_already_final:
            return {"result_already_final", "the delivery already has a final result", none};

        case errc::lease_busy:
            return {"lease_busy", "another owner holds the lease", retryable};
        case errc::lease_lost:
            return {"lease_lost", "the lease was lost while it was held", none};
        case errc::lease_capacity:
            return {"lease_capacity", "too many leases are held", retryable};
        case errc::incarnation_dead:
            return {"incarnation_dead", "this worker was declared dead and starts anew", retryable};

        case errc::room_closed:
            return {"room_closed", "the room is closed or archived", caller_error};
        case errc::room_contended:
            return {"room_contended", "the room kept changing while it was written", retryable};
        case errc::would_deadlock:
            return {"would_deadlock", "the send would wait for a room its cause holds", retryable};
        case errc::idempotency_key_reused:
            return {
                "idempotency_key_reused",
                "the idempotency key was used with another body",
                caller_error
            };
        case errc::event_deleted:
            return {"event_deleted", "the event stored under this key was deleted", caller_error};
        case errc::process_timeout:
            return {"process_timeout", "the event was not committed in time", retryable};
        case errc::hook_failed:
            return {"hook_failed", "a hook failed", none};
        case errc::target_event_not_found:
            return {"target_event_not_found", "the target event is not in this room", caller_error};
        case errc::not_authorized:
            return {"not_authorized", "the actor may not do this to this target", caller_error};
        case errc::channel_not_registered:
            return {
                "channel_not_registered", "no channel with this id is registered", caller_error
            };

        case errc::bad_credentials:
            return {"bad_credentials", "the credentials are not good (any more)", caller_error};
        case errc::too_many_attempts:
            return {"too_many_attempts", "too many attempts; wait and try again", retryable};
        case errc::last_admin:
            return {"last_admin", "the organisation would be left without an admin", caller_error};
        case errc::password_needed:
            return {"password_needed", "the link is for setting a password", caller_error};

        case errc::model_unavailable:
            return {"model_unavailable", "the model's provider can't be reached", retryable};
        case errc::model_overloaded:
            return {"model_overloaded", "the model's provider takes no more requests", retryable};
        case errc::model_refused:
            return {"model_refused", "the model's provider refuses the request", none};
        case errc::answer_cut_off:
            return {"answer_cut_off", "the answer ended before its end", retryable};
        case errc::driver_fenced:
            return {"driver_fenced", "another driver has the session", none};
        case errc::session_run_in_progress:
            return {"session_run_in_progress", "the session is being driven", retryable};
        case errc::tool_call_not_open:
            return {"tool_call_not_open", "nobody waits for a result of this call", caller_error};
        case errc::approval_already_resolved:
            return {"approval_already_resolved", "somebody has decided before", caller_error};
        case errc::approval_expired:
            return {"approval_expired", "the time to decide is over", caller_error};
        case errc::session_awaiting_approval:
            return {
                "session_awaiting_approval", "the session waits for people to decide", caller_error
            };
        case errc::interrupt_not_open:
            return {"interrupt_not_open", "the session did not ask this", caller_error};

        case errc::skill_not_ready:
            return {"skill_not_ready", "the skill's revision is not here yet", none};
        case errc::execution_ended:
            return {"execution_ended", "the execution is over", caller_error};
    }
    // Reached by a number that a newer version, or nobody, defined.
    return {"unknown_code", "an error code this version does not know", none};
}

constexpr const char* message_of(condition c) noexcept {
    switch (c) {
        case condition::retryable:
            return "the same request may succeed later";
        case condition::outcome_unknown:
            return "it may have happened";
        case condition::connection_fatal:
            return "the connection must be closed";
        case condition::caller_error:
            return "the request itself is at fault";
    }
    return "a condition this version does not know";
}

class code_category final : public boost::system::error_category {
   public:
    const char* name() const noexcept override { return "convene"; }

    std::string message(int code) const override {
        return describe(static_cast<errc>(code)).message;
    }
};

class question_category final : public boost::system::error_category {
   public:
    const char* name() const noexcept override { return "convene.condition"; }

    std::string message(int value) const override {
        return message_of(static_cast<condition>(value));
    }

    bool equivalent(const error_code& code, int value) const noexcept override {
        if (code.category() != convene_category()) {
            return false;
        }
        const condition_set conditions = describe(static_cast<errc>(code.value())).conditions;
        return (conditions & bit_of(static_cast<condition>(value))) != 0;
    }
};

}  // namespace

const boost::system::error_category& convene_category() noexcept {
    static const code_category category;
    return category;
}

const boost::system::error_category& condition_category() noexcept {
    static const question_category category;
    return category;
}

std::string_view name_of(errc code) noexcept { return describe(code).name; }

}  // namespace convene
