// SPDX-License-Identifier: Apache-2.0
// Opening: the one place where commands part into local and remote.
#include "app/opening.hpp"

#include <utility>

#include "app/database.hpp"
#include "app/local/local_access.hpp"
#include "app/local/stored_reader.hpp"
#include "app/remote/server_conversations.hpp"

namespace convene {

outcome<std::unique_ptr<conversation_reader>> open_reader(
    loop& where, const command_context& with
) {
    if (with.server) {
        return std::unique_ptr<conversation_reader>{
            std::make_unique<server_conversations>(where, *with.server)
        };
    }
    auto store = open_for_reading(where, with.database);
    if (!store) {
        return store.error();
    }
    return std::unique_ptr<conversation_reader>{
        std::make_unique<stored_reader>(std::move(*store), with.organization, with.database)
    };
}

outcome<std::unique_ptr<conversation_access>> open_access(
    loop& where, const command_context& with, sqlite_creation creation
) {
    if (with.server) {
        return std::unique_ptr<conversation_access>{
            std::make_unique<server_conversations>(where, *with.server)
        };
    }
    auto opened = local_access::open(where, with, creation);
    if (!opened) {
        return opened.error();
    }
    return std::unique_ptr<conversation_access>{std::move(*opened)};
}

}  // namespace convene
