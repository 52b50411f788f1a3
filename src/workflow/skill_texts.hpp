// SPDX-License-Identifier: Apache-2.0
// The port to what skills say: the body of a revision and its further files.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/error.hpp"
#include "convene/ids.hpp"

#include <string>
#include <vector>

namespace convene {

struct skill_text {
    std::string revision;
    std::string body;
    std::vector<std::string> files;  ///< paths inside the skill
};

/// *Thread safety*: loop only. *Lifetime*: outlives the service that asks it.
class skill_texts {
   public:
    virtual ~skill_texts() = default;

    /// This revision, never another one; empty: the one that is the skill's now. *Errors*: `not_found` (the skill), `skill_not_ready` (the revision is not here).
    [[nodiscard]] virtual awaitable<result<skill_text>> read(
        organization_id organization, std::string skill, std::string commit
    ) = 0;

    /// One of the files of a revision that was read. *Errors*: `not_found`, `payload_too_large`, `skill_not_ready` (it is not
    /// here any more).
    [[nodiscard]] virtual awaitable<result<std::string>> read_file(
        organization_id organization, std::string skill, std::string revision, std::string path
    ) = 0;
};

}  // namespace convene
