// SPDX-License-Identifier: Apache-2.0
// The request hash: one JSON array of the parts, in a fixed order, so that no two parts can run
// together.
#include "room/request_hash.hpp"

#include "base/hash.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

void write_addressees(const room_event& asked, json_writer* out) {
    if (!asked.addressed_to) {
        out->null();
        return;
    }
    out->begin_array();
    for (const channel_id& channel : *asked.addressed_to) {
        out->string(channel.str());
    }
    out->end_array();
}

void write_response_visibility(const room_event& asked, json_writer* out) {
    if (asked.response_visibility) {
        out->string(asked.response_visibility->text());
    } else {
        out->null();
    }
}

}  // namespace

std::string request_hash(const room_event& asked) {
    json_writer out;
    out.begin_array();
    out.string(word_of(asked.type));
    out.json(asked.content.json());
    out.string(asked.source.channel.str());
    out.string(asked.source.participant.str());
    out.string(asked.source.external_id);
    out.string(asked.parent.str());
    write_addressees(asked, &out);
    out.string(asked.visibility.text());
    write_response_visibility(asked, &out);
    out.json(asked.metadata);
    out.end_array();
    return to_hex(sha256(out.take().str()));
}

}  // namespace convene
