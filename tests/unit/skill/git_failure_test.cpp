// SPDX-License-Identifier: Apache-2.0
// What git's errors are taken for.
#include "skill/git_failure.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace convene {
namespace {

// Each kind of failure has a word of its own, by what git 2.39 writes.
// Proves: K1
TEST(GitFailure, IsToldApart) {
    const std::pair<const char*, const char*> cases[] = {
        {"fatal: couldn't find remote ref v9", "reference_not_found"},
        {"fatal: remote error: upload-pack: not our ref 0123", "reference_not_found"},
        {"fatal: Authentication failed for 'https://h/r/'", "authentication_failed"},
        {"fatal: could not read Username for 'https://h': terminal prompts disabled",
         "authentication_failed"},
        {"fatal: unable to access 'https://h/r/': The requested URL returned error: 403",
         "authentication_failed"},
        {"fatal: repository 'https://h/r/' not found", "repository_not_found"},
        {"fatal: '/r' does not appear to be a git repository", "repository_not_found"},
        {"fatal: unable to access 'https://h/r/': The requested URL returned error: 301",
         "redirected"},
        {"fatal: unable to access 'https://h/r/': Could not resolve host: h",
         "repository_unreachable"},
        {"fatal: unable to access 'https://h/r/': server certificate verification failed. CAfile: "
         "none CRLfile: none",
         "repository_unreachable"},
        {"fatal: transport 'file' not allowed", "repository_unreachable"},
        {"fatal: sha1 file 'x' write error: File too large", "too_large"},
        {"something else", "git_failed"},
        {"", "git_failed"},
    };
    for (const auto& [said, word] : cases) {
        EXPECT_EQ(failure_of_fetch(said).word, word) << said;
    }
}

// What a server wrote is not passed on.
// Proves: K1, X2
TEST(GitFailure, RepeatsNothing) {
    const pull_failure failure = failure_of_fetch(
        "remote: the password is hunter2\nfatal: Authentication failed for 'https://h/'"
    );
    EXPECT_EQ(failure.detail.find("hunter2"), std::string::npos);
}

}  // namespace
}  // namespace convene
