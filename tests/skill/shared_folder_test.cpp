// SPDX-License-Identifier: Apache-2.0
// Whether a folder is that of all workers: told by its marker and the database's.
#include "skill/shared_folder.hpp"

#include "convene/loop.hpp"
#include "convene/memory_store.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "store/store.hpp"
#include "support/temporary_folder.hpp"

namespace convene {
namespace {

namespace fs = std::filesystem;

class SharedFolder : public testing::Test {
   protected:
    /// A worker of the deployment that has this store looks at its folder.
    sharing_proof look(conversation_store& store, const std::string& folder) {
        fs::create_directories(place_of(folder));
        auto proving = prove_shared(
            &store, &files_, &system_random(), "SKILLS_DIR", place_of(folder)
        );
        const auto proof = where_.run_until_done(std::move(proving));
        EXPECT_TRUE(proof.has_value());
        return proof ? *proof : sharing_proof{};
    }

    [[nodiscard]] fs::path place_of(const std::string& folder) const {
        return temporary_.path() / folder;
    }

    temporary_folder temporary_;
    loop where_;
    const std::unique_ptr<conversation_store> store_ = make_memory_store(system_wall_clock());
    const std::unique_ptr<conversation_store> other_ = make_memory_store(system_wall_clock());
    blocking_pool files_{2};
};

// The first worker marks the folder, the next ones know it; a restart changes nothing.
// Proves: K2
TEST_F(SharedFolder, IsProvenByItsMarker) {
    const sharing_proof first = look(*store_, "a");
    EXPECT_EQ(first.found, sharing::proven);
    EXPECT_FALSE(first.marker.empty());
    const sharing_proof second = look(*store_, "a");
    EXPECT_EQ(second.found, sharing::proven);
    EXPECT_EQ(second.marker, first.marker);
    EXPECT_EQ(std::distance(fs::directory_iterator{place_of("a")}, {}), 1);
}

// A worker whose folder is another one is told: it is empty, or marked by somebody else.
// Proves: K2
TEST_F(SharedFolder, AnotherOneIsRefused) {
    const sharing_proof first = look(*store_, "a");
    const sharing_proof empty = look(*store_, "b");
    EXPECT_EQ(empty.found, sharing::unmarked);
    EXPECT_EQ(empty.marker, first.marker);
    EXPECT_FALSE(fs::exists(place_of("b") / marker_file_name));
    EXPECT_EQ(look(*other_, "c").found, sharing::proven);
    EXPECT_EQ(look(*store_, "c").found, sharing::of_others);
    EXPECT_EQ(look(*other_, "a").found, sharing::of_others);
}

// What an operator is told to do helps.
// Proves: K2
TEST_F(SharedFolder, TheRemedyHelps) {
    const sharing_proof first = look(*store_, "a");
    EXPECT_EQ(look(*store_, "moved").found, sharing::unmarked);
    std::ofstream{place_of("moved") / marker_file_name} << first.marker << '\n';
    EXPECT_EQ(look(*store_, "moved").found, sharing::proven);
}

// A worker that died between the file and the row leaves what the next one goes on with.
// Proves: K2
TEST_F(SharedFolder, AHalfMadeMarkerIsTakenUp) {
    fs::create_directories(place_of("a"));
    std::ofstream{place_of("a") / marker_file_name} << "half\n";
    const sharing_proof first = look(*store_, "a");
    EXPECT_EQ(first.found, sharing::proven);
    EXPECT_EQ(first.marker, "half");
}

}  // namespace
}  // namespace convene
