// SPDX-License-Identifier: Apache-2.0
// Store operations on attachments: files that belong to a room, kept in chunks beside its events.
//
// Messages name them in their content (`attachment:ID`): the commit writes down which event names which, and a hard
// deletion takes what nobody names any more. All times are the store's clock.
#pragma once

#include "convene/ids.hpp"
#include "convene/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "store/access_values.hpp"

namespace convene {

using attachment_id = text_id<struct attachment_tag>;

/// The bytes of one chunk; the last one of an attachment may have fewer. Frozen: it is how they are stored.
inline constexpr std::size_t attachment_chunk_bytes = std::size_t{256} << 10U;

/// How long an upload may take, and how long one that no message names is kept.
inline constexpr std::chrono::hours attachment_upload_time{1};
inline constexpr std::chrono::hours attachment_unnamed_time{24};

/// The numbers are frozen.
enum class attachment_state : std::uint8_t {
    uploading = 1,  ///< some of its chunks may be there; nobody sees it
    stored = 2,
    removed = 3,  ///< nobody sees it any more, and its chunks are being erased
};

struct attachment {
    attachment_id id;
    organization_id organization;
    room_id room;
    std::string filename;
    std::string media_type;
    std::int64_t size_bytes = 0;
    std::string sha256;       ///< of the bytes, in lower-case hexadecimal
    std::string uploaded_by;  ///< `user:ID` or `token:ID`
    std::string link_key;     ///< signs links to it; as secret as the bytes beside it
    attachment_state state = attachment_state::uploading;
    wall_time created_at{};

    friend bool operator==(const attachment&, const attachment&) = default;
};

namespace ops {

/// Announces an upload, so that its size counts while it comes in. An upload under the same id that was given up
/// (its worker is dead, or its time is over) is begun afresh.
/// *Errors*: `not_found` (the room).
struct begin_attachment {
    enum class verdict : std::uint8_t {
        begun,
        known,              ///< an attachment has the id: it is the answer
        running,            ///< somebody uploads under the id right now
        removed,            ///< what had the id is being erased
        room_full,          ///< the room's attachments would be more than `room_bytes`
        organization_full,  ///< the same for the organisation
    };

    struct outcome {
        verdict what = verdict::begun;
        attachment stored;  ///< of `begun` and `known`
    };

    using answer = outcome;
    convene::attachment attachment;  ///< state and time are set by the store
    incarnation_id uploader;
    std::int64_t room_bytes = std::numeric_limits<std::int64_t>::max();
    std::int64_t organization_bytes = std::numeric_limits<std::int64_t>::max();
};

/// The next chunk of an upload, counted from 0. *Errors*: `claim_lost` (it is no longer this worker's to upload),
/// `invalid_argument` (not the next one, or not as long as it must be).
struct append_attachment {
    using answer = std::monostate;
    attachment_id id;
    incarnation_id uploader;
    std::int64_t number = 0;
    std::string bytes;
};

/// The upload is whole: from now on it can be read and named. *Errors*: `claim_lost`, `invalid_argument` (chunks are
/// missing).
struct finish_attachment {
    using answer = attachment;
    attachment_id id;
    incarnation_id uploader;
};

/// The upload failed: it counts as given up from now on. Nothing for what is not this worker's upload.
struct abandon_attachment {
    using answer = std::monostate;
    attachment_id id;
    incarnation_id uploader;
};

/// A stored attachment, and some of the events that name it. *Errors*: `not_found`, also for another organisation.
struct get_attachment {
    struct found {
        convene::attachment attachment;
        std::vector<event_id> named_by;  ///< at most 100, by id
    };

    using answer = found;
    std::optional<organization_id> organization;  ///< unset: whoever's, for somebody with a link
    attachment_id id;
};

/// The bytes of one chunk. *Errors*: `not_found`.
struct read_attachment {
    using answer = std::string;
    attachment_id id;
    std::int64_t number = 0;
};

/// The stored attachments of a room by id, those behind `after`.
struct list_attachments {
    using answer = std::vector<attachment>;
    organization_id organization;
    room_id room;
    attachment_id after{};
    std::size_t limit = 100;
};

/// Nobody sees it any more; `erase_attachments` does the rest. False if there was none.
struct remove_attachment {
    using answer = bool;
    organization_id organization;
    attachment_id id;
    std::optional<audit_entry> audit;
};

/// Erases the bytes of what was removed, of uploads that were given up, and of what no message named in time: at
/// most `limit` chunks, and rows that have none left.
struct erase_attachments {
    struct outcome {
        std::int64_t erased = 0;  ///< attachments of which nothing is left
        bool has_more = false;    ///< `limit` was reached: ask again
    };

    using answer = outcome;
    std::size_t limit = 16;
};

}  // namespace ops

}  // namespace convene
