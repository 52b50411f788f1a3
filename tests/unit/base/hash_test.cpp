// SPDX-License-Identifier: Apache-2.0
// Hashes: published vectors for SHA-256, our own golden vectors for what is frozen.
#include "base/hash.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

#include "support/documentation.hpp"

namespace convene {

namespace {

// The vectors of FIPS 180-4's examples.
TEST(Sha256, GivesThePublishedDigests) {
    EXPECT_EQ(
        to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
    EXPECT_EQ(
        to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    EXPECT_EQ(
        to_hex(sha256(std::string(1'000'000, 'a'))),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    );
}

TEST(ToHex, WritesTwoDigitsForEachByte) {
    const std::array<std::uint8_t, 4> bytes{0x00, 0x0F, 0xA0, 0xFF};
    EXPECT_EQ(to_hex(bytes), "000fa0ff");
    EXPECT_EQ(to_hex({}), "");
}

// Workers of different versions lock by this number: it is the same for ever, on every machine.
// Proves: L2
TEST(StableHash64, GivesTheGoldenVectors) {
    const std::string page = documentation_page("formats/lock-names.md");
    const auto expect_golden = [&](const std::string& bytes, std::int64_t key) {
        EXPECT_EQ(stable_hash64(bytes), key);
        const std::string shown = bytes.empty() ? "none" : '`' + bytes + '`';
        const std::string row = "| " + shown + " | " + std::to_string(key) + " |\n";
        EXPECT_NE(page.find(row), std::string::npos) << row;
    };
    expect_golden("", -2039914840885289964);
    expect_golden("abc", -5010229573455851542);
    expect_golden("room-1", 3221725148765032415);
    expect_golden("__delivery__:room-1", -3867600395689994982);
    expect_golden("部屋", 200204495510621083);
    EXPECT_EQ(stable_hash64(std::string_view{"\0", 1}), 7940984811893783192);
}

// Pieces hash as the whole does.
TEST(Hash, PiecesAreTheWhole) {
    sha256_stream pieces;
    pieces.add("ab");
    pieces.add("");
    pieces.add("c");
    EXPECT_EQ(to_hex(pieces.finish()), to_hex(sha256("abc")));
}

}  // namespace

}  // namespace convene
