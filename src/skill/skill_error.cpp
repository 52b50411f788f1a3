// SPDX-License-Identifier: Apache-2.0
// Skill errors: their category, and a failed pull as an exception.
#include "skill/skill_error.hpp"

#include <boost/system/system_error.hpp>
#include <boost/throw_exception.hpp>

#include <string>
#include <string_view>

namespace convene {

namespace {

constexpr std::string_view broken_off = "broken_off";

class skill_error_category final : public boost::system::error_category {
   public:
    const char* name() const noexcept override { return "convene.skill"; }

    std::string message(int code) const override {
        return static_cast<skill_errc>(code) == skill_errc::not_ready
                   ? "the revision of the skill is not here (yet)"
                   : "an error code this version does not know";
    }
};

}  // namespace

const boost::system::error_category& skill_category() noexcept {
    static const skill_error_category category;
    return category;
}

pull_failure failure_of_stop(error_code reason) {
    if (reason == errc::timed_out) {
        return {
            "clone_timed_out",
            "the repository was not fetched in time: see SKILLS_CLONE_TIMEOUT_SECONDS"
        };
    }
    return {std::string{broken_off}, "the pull was broken off"};
}

bool is_broken_off(const pull_failure& failure) { return failure.word == broken_off; }

void throw_exception_from_error(const pull_failure& failure, const boost::source_location& where) {
    boost::throw_with_location(
        boost::system::system_error{make_error_code(errc::invalid_argument), failure.word}, where
    );
}

}  // namespace convene
