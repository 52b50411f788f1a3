// SPDX-License-Identifier: Apache-2.0
// Git's errors: the words by which they are told apart, the particular ones first.
#include "skill/git_failure.hpp"

#include <algorithm>

namespace convene {

namespace {

struct known_error {
    std::string_view part;  ///< of what git writes
    std::string_view word;
    std::string_view detail;
};

constexpr std::string_view
    check_credentials = "the repository wants other credentials: set username and password";
constexpr std::string_view check_url =
    "there is no such repository, or it is not shown without credentials: check url and "
    "credentials";
constexpr std::string_view check_server = "the server does not answer as a git server: check url";

constexpr known_error known[] = {
    {"couldn't find remote ref",
     "reference_not_found",
     "the repository has no such branch or tag: check reference"},
    {"not our ref", "reference_not_found", "the repository has no such commit: check reference"},
    {"does not allow request for unadvertised",
     "reference_not_found",
     "the server gives no commits by their id: name a branch or a tag"},
    {"Authentication failed", "authentication_failed", check_credentials},
    {"could not read Username", "authentication_failed", check_credentials},
    {"could not read Password", "authentication_failed", check_credentials},
    {"terminal prompts disabled", "authentication_failed", check_credentials},
    {"returned error: 401", "authentication_failed", check_credentials},
    {"returned error: 403", "authentication_failed", check_credentials},
    {"returned error: 404", "repository_not_found", check_url},
    {"' not found", "repository_not_found", check_url},
    {"does not appear to be a git repository", "repository_not_found", check_url},
    {"does not exist", "repository_not_found", check_url},
    {"unable to update url base from redirection",
     "redirected",
     "the server sends on to another address: put that one into url"},
    {"returned error: 30",
     "redirected",
     "the server sends on to another address: put that one into url"},
    {"SSL certificate problem",
     "repository_unreachable",
     "the server's certificate is not trusted here: see SKILLS_GIT_CA"},
    {"server certificate verification failed",
     "repository_unreachable",
     "the server's certificate is not trusted here: see SKILLS_GIT_CA"},
    {"Could not resolve host", "repository_unreachable", "the host of url is not known"},
    {"Failed to connect", "repository_unreachable", "nothing answers at url"},
    {"Connection refused", "repository_unreachable", "nothing answers at url"},
    {"returned error: 5", "repository_unreachable", "the server has troubles of its own: try later"
    },
    {"transport 'file' not allowed",
     "repository_unreachable",
     "folders of this machine are not pulled from: see SKILLS_LOCAL_REPOSITORIES"},
    {"unable to access", "repository_unreachable", "the server of url can't be reached"},
    {"not valid: is this a git repository", "repository_not_found", check_server},
    {"File too large", "too_large", "the repository is too large"},
    {"file size limit", "too_large", "the repository is too large"},
    {"invalid index-pack output", "too_large", "what the repository sends is too large, or damaged"
    },
    {"No space left on device", "disk_failed", "the disk of SKILLS_DIR is full"},
};

}  // namespace

pull_failure failure_of_fetch(std::string_view errors) {
    const auto found = std::ranges::find_if(known, [errors](const known_error& one) {
        return errors.find(one.part) != std::string_view::npos;
    });
    if (found == std::end(known)) {
        return {"git_failed", "git could not fetch the repository: try it by hand"};
    }
    return {std::string{found->word}, std::string{found->detail}};
}

}  // namespace convene
