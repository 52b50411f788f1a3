// SPDX-License-Identifier: Apache-2.0
// Showing deliveries.
#include "http/view/delivery_view.hpp"

#include "http/view/words.hpp"

namespace convene {

const schema& target_kind_schema() {
    static const schema made = words_of("TargetKind", target_kind::channel);
    return made;
}

const schema& delivery_state_schema() {
    static const schema made = words_of("DeliveryState", delivery_state::pending);
    return made;
}

const schema& receipt_status_schema() {
    static const schema made = words_of("ReceiptStatus", receipt_status::failed);
    return made;
}

const schema& delivery_schema() {
    static const schema receipt = schema::object(
        "DeliveryReceipt",
        {required("status", receipt_status_schema(), "The furthest that was told"),
         required("error_code", schema::text(), "The provider's; empty: none"),
         required("error_message", schema::text()),
         required("at", schema::time())}
    );
    static const schema made = schema::object(
        "Delivery",
        {required("id", schema::id(), "The receiver's key against duplicates"),
         required("event_id", schema::id()),
         required("index", schema::integer({0})),
         required("kind", target_kind_schema()),
         required("channel_id", schema::text()),
         optional("address", schema::text(), "Shown to operators and tokens"),
         required("state", delivery_state_schema()),
         required("attempts", schema::integer({0})),
         required("error_code", schema::text(), "A stable word; empty: none"),
         required("error_message", schema::text()),
         required("provider_message_id", schema::text()),
         required("receipt", receipt.or_null(), "What the provider told afterwards")}
    );
    return made;
}

const schema& skip_schema() {
    static const schema made = schema::object(
        "DeliverySkip",
        {required("id", schema::integer({0})),
         required("room_id", schema::id()),
         required("from_index", schema::integer({0})),
         required("to_index", schema::integer({0})),
         required("event_ids", schema::list(schema::text())),
         required("owner", schema::text(), "The dead worker that had them"),
         required("reason", schema::text(), "`gap_timeout`, `bound`, `poison`, `operator`"),
         required("is_replayed", schema::boolean()),
         required("created_at", schema::time())}
    );
    return made;
}

void write_delivery(
    json_writer& out,
    const delivery_row& shown,
    address_view addresses,
    const delivery_receipt* receipt
) {
    out.begin_object();
    out.key("id").string(shown.id.str());
    out.key("event_id").string(shown.event.str());
    out.key("index").integer(shown.index.value());
    out.key("kind").string(word_of(shown.kind));
    out.key("channel_id").string(shown.channel.str());
    if (addresses == address_view::shown) {
        out.key("address").string(shown.address);
    }
    out.key("state").string(word_of(shown.state));
    out.key("attempts").integer(shown.attempts);
    out.key("error_code").string(shown.outcome.error_code);
    out.key("error_message").string(shown.outcome.error_message);
    out.key("provider_message_id").string(shown.outcome.provider_message_id);
    out.key("receipt");
    if (receipt == nullptr) {
        out.null();
    } else {
        out.begin_object();
        out.key("status").string(word_of(receipt->status));
        out.key("error_code").string(receipt->error_code);
        out.key("error_message").string(receipt->error_message);
        write_time(out.key("at"), receipt->at);
        out.end_object();
    }
    out.end_object();
}

void write_skip(json_writer& out, const delivery_skip& shown) {
    out.begin_object();
    out.key("id").integer(shown.id);
    out.key("room_id").string(shown.room.str());
    out.key("from_index").integer(shown.from.value());
    out.key("to_index").integer(shown.to.value());
    out.key("event_ids").begin_array();
    for (const event_id& event : shown.events) {
        out.string(event.str());
    }
    out.end_array();
    out.key("owner").string(shown.owner.str());
    out.key("reason").string(shown.reason);
    out.key("is_replayed").boolean(shown.is_replayed);
    write_time(out.key("created_at"), shown.created_at);
    out.end_object();
}

}  // namespace convene
