// SPDX-License-Identifier: Apache-2.0
// Checks of the texts in messages and rooms.
#include "room/validation.hpp"

#include <initializer_list>
#include <string_view>

#include "base/text_boundary.hpp"

namespace convene {

namespace {

struct named_text {
    std::string_view field;
    std::string_view text;
};

/// Ids that may be left out, but not be malformed.
checked<> check_optional_ids(std::initializer_list<named_text> ids) {
    for (const named_text& id : ids) {
        if (id.text.empty()) {
            continue;
        }
        if (auto ok = check_id(id.text, id.field); !ok) {
            return ok;
        }
    }
    return {};
}

checked<> check_texts(std::initializer_list<named_text> texts) {
    for (const named_text& one : texts) {
        if (auto ok = check_text(one.text, one.field); !ok) {
            return ok;
        }
    }
    return {};
}

boundary_reason first_fault(const repair_record& repairs) {
    if (repairs.kept_as_text) {
        return *repairs.kept_as_text;
    }
    if (repairs.invalid_utf8 != 0) {
        return boundary_reason::invalid_utf8;
    }
    if (repairs.lone_surrogates != 0) {
        return boundary_reason::lone_surrogate;
    }
    return repairs.nul_characters != 0 ? boundary_reason::nul_character : boundary_reason::too_long;
}

/// A caller can correct its text, so that what a factory had to repair is not stored in its place.
checked<> check_content(const content& said) {
    if (said.repairs().empty()) {
        return {};
    }
    return boundary_error{"content", first_fault(said.repairs())};
}

/// What happened in another organisation is no cause here.
checked<> check_cause(
    const std::optional<event_cause>& cause, const organization_id& organization
) {
    if (cause && cause->organization != organization) {
        return boundary_error{"cause", boundary_reason::not_allowed_here};
    }
    return {};
}

checked<> check_addressees(const std::optional<std::vector<channel_id>>& addressed_to) {
    if (!addressed_to) {
        return {};
    }
    for (const channel_id& channel : *addressed_to) {
        if (auto ok = check_id(channel.str(), "addressed_to"); !ok) {
            return ok;
        }
    }
    return {};
}

}  // namespace

checked<> validate(const outgoing_event& sent) {
    if (auto ok = check_id(sent.room.str(), "room_id"); !ok) {
        return ok;
    }
    if (auto ok = check_optional_ids({
            {"organization_id", sent.organization.str()},
            {"channel_id", sent.channel.str()},
            {"participant_id", sent.participant.str()},
            {"parent_event_id", sent.parent.str()},
            {"correlation_id", sent.correlation_id},
            {"idempotency_key", sent.idempotency_key},
            {"traceparent", sent.trace_parent},
        });
        !ok) {
        return ok;
    }
    if (auto ok = check_cause(sent.cause, sent.organization); !ok) {
        return ok;
    }
    if (auto ok = check_content(sent.content); !ok) {
        return ok;
    }
    return check_addressees(sent.addressed_to);
}

checked<> validate(const inbound_message& message) {
    if (auto ok = check_id(message.channel.str(), "channel_id"); !ok) {
        return ok;
    }
    if (auto ok = check_optional_ids({
            {"organization_id", message.organization.str()},
            {"room_id", message.room.str()},
            {"sender", message.sender},
            {"parent_event_id", message.parent.str()},
            {"idempotency_key", message.idempotency_key},
            {"provider_message_id", message.provider_message_id},
        });
        !ok) {
        return ok;
    }
    if (auto ok = check_cause(message.cause, message.organization); !ok) {
        return ok;
    }
    if (auto ok = check_content(message.content); !ok) {
        return ok;
    }
    return check_addressees(message.addressed_to);
}

checked<> validate(
    const room& created,
    const std::vector<binding>& bindings,
    const std::vector<participant>& participants
) {
    if (auto ok = check_optional_ids({
            {"room_id", created.id.str()},
            {"organization_id", created.organization.str()},
            {"external_id", created.external_id},
        });
        !ok) {
        return ok;
    }
    for (const binding& attached : bindings) {
        if (auto ok = check_id(attached.channel.str(), "bindings.channel_id"); !ok) {
            return ok;
        }
        if (auto ok = check_texts(
                {{"bindings.channel_type", attached.channel_type},
                 {"bindings.address", attached.address}}
            );
            !ok) {
            return ok;
        }
    }
    for (const participant& joined : participants) {
        if (auto ok = check_optional_ids({
                {"participants.id", joined.id.str()},
                {"participants.external_id", joined.external_id},
            });
            !ok) {
            return ok;
        }
        if (auto ok = check_texts({{"participants.display_name", joined.display_name}}); !ok) {
            return ok;
        }
    }
    return {};
}

}  // namespace convene
