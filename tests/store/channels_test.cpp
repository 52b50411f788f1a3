// SPDX-License-Identifier: Apache-2.0
// What every store promises about registered channels and about what their providers tell.
#include "store/operations/channels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/conformance.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class RegisteredChannels : public conformance {
   protected:
    static registered_channel make_channel(
        const std::string& id, const std::string& organization = "acme"
    ) {
        registered_channel made;
        made.id = channel_id{id};
        made.organization = organization_id{organization};
        made.type = "webhook";
        made.name = "Name of " + id;
        made.url = "https://example.com/" + id;
        made.secrets = {"sealed", "", {}};
        return made;
    }

    static audit_entry line(const std::string& action) {
        audit_entry entry;
        entry.organization = acme();
        entry.action = action;
        return entry;
    }

    std::vector<std::string> audited() {
        std::vector<std::string> actions;
        for (const audit_entry& entry : must(ops::list_audit{acme(), std::nullopt, 100})) {
            actions.push_back(entry.action);
        }
        return actions;
    }

    std::vector<std::string> listed(std::optional<organization_id> of) {
        std::vector<std::string> ids;
        for (const registered_channel& one : must(ops::list_channels{std::move(of)})) {
            ids.push_back(one.id.str());
        }
        return ids;
    }

    /// An event of room `r` with a row for the channel `hook`.
    delivery_id deliver(const std::string& event) {
        must(batch("r").add(make_message(event)).deliver_to("hook").take());
        return rows_of("r", event).front().id;
    }

    static ops::put_receipt receipt_of(
        const std::string& event, const delivery_id& delivery, receipt_status status
    ) {
        ops::put_receipt request;
        request.organization = acme();
        request.channel = channel_id{"hook"};
        request.event = event_id{event};
        request.receipt = {delivery, status, "code", "message", {}};
        return request;
    }

    std::vector<receipt_status> receipts_of(const std::string& event) {
        std::vector<receipt_status> statuses;
        for (const delivery_receipt& one :
             must(ops::list_receipts{room_id{"r"}, event_id{event}})) {
            statuses.push_back(one.status);
        }
        return statuses;
    }
};

CONVENE_ON_EVERY_STORE(RegisteredChannels);

// Every field comes back, with the store's version and times; the line of the audit trail goes with it.
// Proves: D12, S1
TEST_P(RegisteredChannels, KeepEveryField) {
    registered_channel put = make_channel("a");
    put.secrets = {"current", "previous", clock().now() + 1h};
    put.retry = retry_policy{7, 20ms, 30ms, 1.5};
    put.limit = rate_limit{1.5, std::nullopt, 100.0};
    put.attempt_deadline = 1234ms;
    put.is_enabled = false;
    put.disabled_reason = "operator";
    put.metadata = json_text::trusted(R"({"a":1})");
    const registered_channel made = must(ops::put_channel{put, line("made")});
    put.version = 1;
    put.created_at = clock().now();
    put.updated_at = clock().now();
    EXPECT_EQ(made, put);
    EXPECT_EQ(must(ops::get_channel{channel_id{"a"}}), put);
    EXPECT_THAT(must(ops::list_channels{acme()}), ElementsAre(put));
    EXPECT_THAT(audited(), ElementsAre("made"));
}

// Two who read the same version do not undo each other: the second is told to read again.
// Proves: S1
TEST_P(RegisteredChannels, ChangeOnlyAsTheyWereRead) {
    const registered_channel first = must(ops::put_channel{make_channel("a")});
    EXPECT_EQ(error_of(ops::put_channel{make_channel("a")}), errc::already_exists);
    registered_channel changed = first;
    changed.name = "New";
    changed.type = "other";
    clock().advance(1s);
    const registered_channel second = must(ops::put_channel{changed});
    EXPECT_EQ(second.version, 2);
    EXPECT_EQ(second.type, "webhook");
    EXPECT_EQ(second.created_at, first.created_at);
    EXPECT_EQ(second.updated_at, clock().now());
    EXPECT_EQ(error_of(ops::put_channel{changed, line("late")}), errc::room_changed);
    EXPECT_EQ(must(ops::get_channel{channel_id{"a"}}), second);
    EXPECT_THAT(audited(), IsEmpty());
}

// Nobody changes, removes or lists what is another organisation's.
// Proves: X1
TEST_P(RegisteredChannels, BelongToOneOrganisation) {
    const registered_channel mine = must(ops::put_channel{make_channel("b")});
    must(ops::put_channel{make_channel("a", "globex")});
    registered_channel theirs = mine;
    theirs.organization = organization_id{"globex"};
    EXPECT_EQ(error_of(ops::put_channel{theirs}), errc::not_found);
    EXPECT_FALSE(must(ops::delete_channel{organization_id{"globex"}, mine.id}));
    EXPECT_THAT(listed(acme()), ElementsAre("b"));
    EXPECT_THAT(listed(std::nullopt), ElementsAre("a", "b"));
    EXPECT_EQ(error_of(ops::get_channel{channel_id{"c"}}), errc::not_found);
    EXPECT_TRUE(must(ops::delete_channel{acme(), mine.id, line("gone")}));
    EXPECT_FALSE(must(ops::delete_channel{acme(), mine.id, line("gone")}));
    EXPECT_THAT(audited(), ElementsAre("gone"));
    EXPECT_EQ(error_of(ops::get_channel{mine.id}), errc::not_found);
}

// What a provider tells only moves forward; the row itself stays as it is.
// Proves: D12
TEST_P(RegisteredChannels, ReceiptsMoveForward) {
    create("r");
    const delivery_id row = deliver("e");
    using enum receipt_status;
    EXPECT_TRUE(must(receipt_of("e", row, failed)));
    EXPECT_TRUE(must(receipt_of("e", row, delivered)));
    EXPECT_FALSE(must(receipt_of("e", row, failed)));
    EXPECT_FALSE(must(receipt_of("e", row, delivered)));
    EXPECT_TRUE(must(receipt_of("e", row, read)));
    const auto told = must(ops::list_receipts{room_id{"r"}, event_id{"e"}});
    EXPECT_THAT(told, ElementsAre(delivery_receipt{row, read, "code", "message", clock().now()}));
    EXPECT_EQ(rows_of("r", "e").front().state, delivery_state::pending);
}

// Only the channel that the delivery went through can tell of it.
// Proves: X1
TEST_P(RegisteredChannels, ReceiptsNeedTheirDelivery) {
    create("r");
    const delivery_id row = deliver("e");
    const delivery_id other = deliver("f");
    const ops::put_receipt good = receipt_of("e", row, receipt_status::read);
    ops::put_receipt wrong = good;
    wrong.organization = organization_id{"globex"};
    EXPECT_EQ(error_of(wrong), errc::not_found);
    wrong = good;
    wrong.channel = channel_id{"sms"};
    EXPECT_EQ(error_of(wrong), errc::not_found);
    wrong = good;
    wrong.event = event_id{"unknown"};
    EXPECT_EQ(error_of(wrong), errc::not_found);
    wrong = good;
    wrong.receipt.delivery = other;
    EXPECT_EQ(error_of(wrong), errc::not_found);
    EXPECT_THAT(receipts_of("e"), IsEmpty());
}

// Receipts go with their event, and with their room.
// Proves: R20
TEST_P(RegisteredChannels, ReceiptsGoWithTheirEvent) {
    create("r");
    const delivery_id first = deliver("e");
    const delivery_id second = deliver("f");
    must(receipt_of("e", first, receipt_status::read));
    must(receipt_of("f", second, receipt_status::delivered));
    must(ops::delete_event{acme(), room_id{"r"}, event_id{"e"}});
    EXPECT_THAT(receipts_of("e"), IsEmpty());
    EXPECT_THAT(receipts_of("f"), ElementsAre(receipt_status::delivered));
    EXPECT_EQ(error_of(receipt_of("e", first, receipt_status::read)), errc::not_found);
    must(ops::delete_room{acme(), room_id{"r"}});
    EXPECT_THAT(receipts_of("f"), IsEmpty());
}

}  // namespace

}  // namespace convene
