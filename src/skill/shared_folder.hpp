// SPDX-License-Identifier: Apache-2.0
// Whether a folder is the one that all workers of the deployment have (K2).
#pragma once

#include "convene/awaitable.hpp"
#include "convene/blocking_pool.hpp"
#include "convene/random.hpp"

#include <filesystem>
#include <string>

namespace convene {

class conversation_store;

enum class sharing {
    proven,
    of_others,  ///< it has another deployment's marker, or a folder of this machine alone
    unmarked,   ///< the deployment has a folder already, and this one is new or was emptied
};

struct sharing_proof {
    sharing found = sharing::proven;
    std::string marker;  ///< what the folder's marker should say
};

inline constexpr const char* marker_file_name = ".convene-deployment";

/// Compares the marker in the folder with the one in the database; the first worker of a deployment makes both.
/// *Requires*: the folder is there. *Errors*: `io_failed`; those of the store.
[[nodiscard]] awaitable<result<sharing_proof>> prove_shared(
    conversation_store* store,
    blocking_pool* files,
    random_source* random,
    std::string name,  ///< of the folder's setting
    std::filesystem::path folder
);

}  // namespace convene
