// SPDX-License-Identifier: Apache-2.0
// Skills as the surfaces and the agents use them: registered, pulled, loaded.
#pragma once

#include "convene/blocking_pool.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "skill/shared_folder.hpp"
#include "skill/skill_puller.hpp"
#include "store/access_values.hpp"
#include "store/operations/skills.hpp"

namespace convene {

/// Skills that one organisation can have.
inline constexpr std::size_t most_skills = 200;

/// Owns none; they outlive the service.
struct skill_service_parts {
    loop* where = nullptr;
    conversation_store* store = nullptr;
    lock_manager* locks = nullptr;
    const wall_clock* clock = nullptr;
    random_source* random = nullptr;
    const secret_box* secrets = nullptr;
};

/// What a change of a skill says of how its repository is read; what is unset, it does not say. Empty: none any more. At
/// most one of the two is a text.
struct given_credentials {
    std::optional<std::string> password{};
    std::optional<secret_name> secret{};
};

/// *Thread safety*: loop only. *Lifetime*: stopped before it is destroyed; it is destroyed before the loop.
/// *Errors*: each operation's own, and those of the store; what belongs to another organisation is `not_found`.
class skill_service {
   public:
    skill_service(skill_service_parts parts, skill_settings with);

    skill_service(const skill_service&) = delete;
    skill_service& operator=(const skill_service&) = delete;

    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_.root(); }

    /// Makes the folder, and finds out whether it is that of all workers, where there can be others (K2).
    /// *Errors*: `io_failed` (nothing can be written there); those of the store.
    [[nodiscard]] awaitable<result<sharing_proof>> prepare();

    /// From here on what is wanted is pulled.
    void start() { puller_.start(); }

    /// Pulls are broken off and left to other workers. Idempotent.
    [[nodiscard]] awaitable<void> stop() { return puller_.stop(); }

    /// Stores a skill and has it pulled. Its id is made, unless it has one. `by`: whoever acts.
    /// *Errors*: `already_exists`, `overloaded` (the organisation has as many as it can), `invalid_argument` (it names a
    /// secret that is not there, or one without a user name).
    [[nodiscard]] awaitable<result<skill>> create(
        skill wanted, std::string password, audit_entry by
    );

    [[nodiscard]] awaitable<result<std::vector<skill>>> list(organization_id of);

    [[nodiscard]] awaitable<result<skill>> get(organization_id of, skill_id id);

    /// `apply` sees the skill as it is now, perhaps more than once; another source is pulled. A password or the name of a
    /// secret, where one is given, takes the place of what was there; with another URL or user name that is forgotten in
    /// any case. *Errors*: `room_contended` (others changed it each time), `invalid_argument` as of `create`.
    [[nodiscard]] awaitable<result<skill>> change(
        skill_id id, std::function<void(skill&)> apply, given_credentials given, audit_entry by
    );

    /// Its revisions go once they are old enough that nobody reads them.
    [[nodiscard]] awaitable<result<ops::skill_deletion>> remove(skill_id id, audit_entry by);

    /// Has it pulled once more.
    [[nodiscard]] awaitable<result<skill>> want_pull(skill_id id, audit_entry by);

    /// The skill as soon as no pull is wanted any more, or as it is at `until`. *Cancellation*: at any time.
    [[nodiscard]] awaitable<result<skill>> wait_until_pulled(
        organization_id of, skill_id id, deadline until
    );

    /// A revision; empty: the current one. It takes no lock, and no other revision than this one.
    /// *Errors*: `skill_errc::not_ready`: it is not here, and is fetched from now on, where that is possible.
    [[nodiscard]] awaitable<result<loaded_skill>> load(
        organization_id of, skill_id id, revision_id revision
    );

    /// A file of a revision, as `load` names it. *Errors*: `not_found`; `payload_too_large`: more than an agent reads;
    /// `skill_errc::not_ready` as of `load`.
    [[nodiscard]] awaitable<result<std::string>> read_file(
        organization_id of, skill_id id, revision_id revision, std::string path
    );

   private:
    void settle_credentials(
        skill& changed, const skill_source& before, const given_credentials& given
    ) const;
    [[nodiscard]] std::string seal(const skill& of, const std::string& password) const;

    // fixed after construction; each uses what stands above it
    const skill_service_parts parts_;
    const skill_settings settings_;
    const skill_folder folder_;

    // touched on the loop only
    id_generator ids_;

    blocking_pool files_;  ///< what it runs uses what stands above
    skill_puller puller_;
};

}  // namespace convene
