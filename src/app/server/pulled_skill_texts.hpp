// SPDX-License-Identifier: Apache-2.0
// Skills as workflows read them: revisions that were pulled.
#pragma once

#include "skill/skill_service.hpp"
#include "workflow/skill_texts.hpp"

namespace convene {

/// *Thread safety*: loop only. *Lifetime*: the service outlives it.
class pulled_skill_texts final : public skill_texts {
   public:
    /// Null: the deployment has no skills, and none is ready.
    explicit pulled_skill_texts(skill_service* skills) : skills_(skills) {}

    [[nodiscard]] awaitable<result<skill_text>> read(
        organization_id organization, std::string skill, std::string commit
    ) override;

    [[nodiscard]] awaitable<result<std::string>> read_file(
        organization_id organization, std::string skill, std::string revision, std::string path
    ) override;

   private:
    skill_service* const skills_;
};

}  // namespace convene
