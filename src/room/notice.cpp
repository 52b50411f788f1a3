// SPDX-License-Identifier: Apache-2.0
// Notices: where each field of a framework event comes from.
#include "room/notice.hpp"

#include <string>
#include <utility>

namespace convene {

framework_event make_notice(
    std::string_view type,
    const organization_id& organization,
    const room_event& about,
    json_text data
) {
    framework_event notice;
    notice.type = std::string{type};
    notice.organization = organization;
    notice.room = about.room;
    notice.event = about.id;
    notice.data = std::move(data);
    return notice;
}

}  // namespace convene
