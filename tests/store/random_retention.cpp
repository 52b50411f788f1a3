// SPDX-License-Identifier: Apache-2.0
// Drawing operations: attachments, retention, erasure, and replaying skips.
#include "store/random_operations.hpp"

namespace convene {

/// Begins an upload, and mostly goes on to its end; sometimes as another worker, or with the wrong bytes.
void random_operations::upload_attachment() {
    ops::begin_attachment beginning;
    attachment& wanted = beginning.attachment;
    wanted.id = any_attachment();
    wanted.room = any_room();
    wanted.organization = organization_of(wanted.room);
    wanted.filename = any_key();
    wanted.media_type = "text/plain";
    wanted.size_bytes = static_cast<std::int64_t>(below(4));
    wanted.sha256 = any_key();
    beginning.uploader = any_worker();
    beginning.room_bytes = 6;
    beginning.organization_bytes = 10;
    both(beginning);
    if (happens(80)) {
        ops::append_attachment chunk;
        chunk.id = wanted.id;
        chunk.uploader = happens(90) ? beginning.uploader : any_worker();
        chunk.number = static_cast<std::int64_t>(happens(95) ? 0 : below(3));
        chunk.bytes = std::string(
            happens(95) ? static_cast<std::size_t>(wanted.size_bytes) : below(4), 'x'
        );
        both(chunk);
    }
    if (happens(10)) {
        both(ops::abandon_attachment{wanted.id, beginning.uploader});
    }
    if (happens(80)) {
        both(ops::finish_attachment{wanted.id, beginning.uploader});
    }
}

void random_operations::change_attachments() {
    const room_id room = any_room();
    const organization_id organization = organization_of(room);
    both(ops::get_attachment{
        happens(50) ? std::optional{organization} : std::nullopt, any_attachment()
    });
    both(ops::read_attachment{any_attachment(), static_cast<std::int64_t>(below(2))});
    both(ops::list_attachments{organization, room, any_attachment(), below(4)});
    if (happens(30)) {
        both(ops::remove_attachment{organization, any_attachment(), {}});
    }
    both(ops::erase_attachments{1 + below(4)});
}

void random_operations::apply_retention() {
    const room_id room = any_room();
    const organization_id organization = organization_of(room);
    if (happens(40)) {
        const auto span = [this] {
            return happens(50) ? std::optional{static_cast<std::int32_t>(1 + below(3))}
                               : std::nullopt;
        };
        const room_id of = happens(70) ? room : room_id{};
        both(ops::put_retention{organization, of, {span(), span(), span()}, {}});
    }
    both(ops::get_retention{organization, room});
    const auto found = both(ops::find_retention_due{room_id{happens(50) ? "r1" : ""}, 1 + below(4)}
    );
    if (found && !found->due.empty()) {
        const auto& due = one_of(found->due);
        both(ops::apply_retention{due.organization, due.room, 1 + below(5)});
    } else {
        both(ops::apply_retention{organization, room, 1 + below(5)});
    }
}

void random_operations::erase_organization() {
    if (happens(10)) {
        const organization_id leaving = happens(50) ? acme() : organization_id{"globex"};
        both(ops::create_organization{{leaving, "Name"}, {}, {}});
        both(ops::begin_erasure{leaving, {}});
    }
    both(ops::continue_erasure{1 + below(3)});
}

void random_operations::replay_skip() {
    const room_id room = any_room();
    both(ops::replay_skip{organization_of(room), static_cast<std::int64_t>(1 + below(12))});
}

void random_operations::operate_lane() {
    const room_id room = any_room();
    both(ops::set_lane_state{organization_of(room), room, one_up_to(ops::lane_state::paused)});
    both(ops::list_paused_lanes{acme(), room_id{happens(50) ? "r0" : ""}, below(4)});
    both(ops::redeliver_event{organization_of(room), room, any_event()});
}

}  // namespace convene
