// SPDX-License-Identifier: Apache-2.0
// The compares of commit, claim and cursor, each a rule of its own.
#include "store/memory/room_record.hpp"

#include "base/mutant.hpp"

namespace convene {

namespace {

bool next_index_matches(const room_record& record, const ops::commit& batch) {
    return record.info.next_index == batch.expected_next;
}

bool config_matches(const room_record& record, const ops::commit& batch) {
    return record.info.config == batch.expected_config;
}

bool status_matches(const room_record& record, const ops::commit& batch) {
    return record.info.status == batch.expected_status;
}

bool lock_epoch_matches(const room_record& record, const ops::commit& batch) {
    return !batch.expected_lock_epoch || record.info.lock_epoch == *batch.expected_lock_epoch;
}

}  // namespace

delivery_cursor cursor_of(const room_record& record) {
    return {
        record.info.delivered_index,
        record.claimer,
        record.claim_epoch,
        record.takeovers,
        record.lane_paused_at,
    };
}

bool is_current(const room_record& record, const ops::commit& batch) {
    return next_index_matches(record, batch) && config_matches(record, batch) &&
           status_matches(record, batch) && lock_epoch_matches(record, batch);
}

bool holds_claim(const room_record& record, std::int64_t claim_epoch) {
    return record.claim_epoch == claim_epoch || CONVENE_MUTANT("cursor_without_claimer");
}

bool is_next_for_delivery(const room_record& record, event_index index) {
    return record.info.delivered_index.next() == index;
}

bool has_delivered(const room_record& record, event_index index) {
    return record.info.delivered_index >= index;
}

}  // namespace convene
