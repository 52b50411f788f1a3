// SPDX-License-Identifier: Apache-2.0
// Pulled skill texts: a revision's folder is what it says.
#include "app/server/pulled_skill_texts.hpp"

#include <utility>

namespace convene {

awaitable<result<skill_text>> pulled_skill_texts::read(
    organization_id organization, std::string skill, std::string commit
) {
    if (skills_ == nullptr) {
        co_return errc::skill_not_ready;
    }
    skill_id id{std::move(skill)};
    revision_id revision{std::move(commit)};
    auto loaded = co_await skills_->load(
        std::move(organization), std::move(id), std::move(revision)
    );
    if (!loaded && loaded.error() == skill_errc::not_ready) {
        co_return errc::skill_not_ready;
    }
    if (!loaded) {
        co_return loaded.error();
    }
    skill_text text;
    text.revision = loaded->revision.str();
    text.body = std::move(loaded->document.body);
    for (loaded_skill::file& one : loaded->files) {
        text.files.push_back(std::move(one.path));
    }
    co_return text;
}

awaitable<result<std::string>> pulled_skill_texts::read_file(
    organization_id organization, std::string skill, std::string revision, std::string path
) {
    if (skills_ == nullptr) {
        co_return errc::skill_not_ready;
    }
    skill_id id{std::move(skill)};
    revision_id of{std::move(revision)};
    auto read = co_await skills_->read_file(
        std::move(organization), std::move(id), std::move(of), std::move(path)
    );
    if (!read && read.error() == skill_errc::not_ready) {
        co_return errc::skill_not_ready;
    }
    co_return read;
}

}  // namespace convene
