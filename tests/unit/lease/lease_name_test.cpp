// SPDX-License-Identifier: Apache-2.0
// Lease names: no two are confused, and their keys stay what they are for ever.
#include "convene/lease.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/documentation.hpp"

namespace convene {
namespace {

struct vector_of_key {
    lease_kind kind;
    std::string organization;
    std::string id;
    std::string encoded;
    std::int64_t key;
};

/// The golden vectors. Changing one lets two versions hold the same lease at once.
const std::vector<vector_of_key>& golden_vectors() {
    static const std::vector<vector_of_key> vectors{
        {lease_kind::room, "acme", "r1", "convene-lease-1:4:room,4:acme,2:r1,", 5726924141843839966
        },
        {lease_kind::delivery,
         "acme",
         "r1",
         "convene-lease-1:8:delivery,4:acme,2:r1,",
         7875753962184353312},
        {lease_kind::session,
         "acme",
         "r1",
         "convene-lease-1:7:session,4:acme,2:r1,",
         1783593224149445122},
        {lease_kind::leader,
         "",
         "room-timers",
         "convene-lease-1:6:leader,0:,11:room-timers,",
         7770687139142097789},
        {lease_kind::skill,
         "acme",
         "invoices",
         "convene-lease-1:5:skill,4:acme,8:invoices,",
         -6387361539232153553},
        {lease_kind::schema,
         "",
         "migrations",
         "convene-lease-1:6:schema,0:,10:migrations,",
         1720607925381984390},
        {lease_kind::worker,
         "",
         "018f6a3e-7c1d-7e2a-9b40-5d0c6a7e8f90",
         "convene-lease-1:6:worker,0:,36:018f6a3e-7c1d-7e2a-9b40-5d0c6a7e8f90,",
         3017223950858140647},
        {lease_kind::room,
         "acme",
         "018f6a3e-7c1d-7e2a-9b40-5d0c6a7e8f90",
         "convene-lease-1:4:room,4:acme,36:018f6a3e-7c1d-7e2a-9b40-5d0c6a7e8f90,",
         -5842244510579457381},
        {lease_kind::room, "", "", "convene-lease-1:4:room,0:,0:,", -169157031550589909},
        {lease_kind::room, "a", "b,1:c", "convene-lease-1:4:room,1:a,5:b,1:c,", -6994293608112778328
        },
        {lease_kind::room, "a,1:b", "c", "convene-lease-1:4:room,5:a,1:b,1:c,", 7477868196177804781
        },
        {lease_kind::room,
         "日本",
         "部屋",
         "convene-lease-1:4:room,6:日本,6:部屋,",
         -2411482901765935023},
    };
    return vectors;
}

lease_name name_of(const vector_of_key& vector) {
    return lease_name{vector.kind, organization_id{vector.organization}, vector.id};
}

std::string code(std::string_view text) { return "`" + std::string{text} + "`"; }

/// The row of `docs/formats/lock-names.md` for a vector. An empty cell stands for an empty text.
std::string row_of(const vector_of_key& vector) {
    std::string row = "| " + std::string{word_of(vector.kind)} + " |";
    for (const std::string& cell : {vector.organization, vector.id}) {
        row += cell.empty() ? " |" : " " + code(cell) + " |";
    }
    return row + " " + code(vector.encoded) + " | " + std::to_string(vector.key) + " |";
}

/// Takes one length-prefixed field off the front, as `docs/formats/lock-names.md` describes it.
std::optional<std::string> take_field(std::string_view& bytes) {
    const std::size_t colon = bytes.find(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    const std::size_t size = std::stoul(std::string{bytes.substr(0, colon)});
    if (bytes.size() < colon + size + 2 || bytes[colon + 1 + size] != ',') {
        return std::nullopt;
    }
    std::string field{bytes.substr(colon + 1, size)};
    bytes.remove_prefix(colon + size + 2);
    return field;
}

// The encoding and the key of every golden vector are what they were when they were frozen.
// Proves: L2 (rk:K9)
TEST(LeaseName, KeepsItsGoldenKeys) {
    for (const vector_of_key& vector : golden_vectors()) {
        EXPECT_EQ(name_of(vector).encoded(), vector.encoded);
        EXPECT_EQ(name_of(vector).key(), vector.key) << vector.encoded;
    }
}

// The page that others implement from lists the same vectors.
// Proves: L2
TEST(LeaseName, IsDocumentedWithItsGoldenKeys) {
    const std::string page = documentation_page("formats/lock-names.md");
    for (const vector_of_key& vector : golden_vectors()) {
        EXPECT_NE(page.find(row_of(vector)), std::string::npos) << row_of(vector);
    }
}

// Whatever bytes the parts consist of, they can be read back from the encoding: so no two names
// share one.
// Proves: L2
TEST(LeaseName, IsReadBackFromItsEncoding) {
    const bool holds = rc::check([](const std::string& organization, const std::string& id) {
        const auto number = *rc::gen::inRange<int>(1, 8);
        const auto kind = static_cast<lease_kind>(number);
        const std::string encoded = lease_name{kind, organization_id{organization}, id}.encoded();
        std::string_view rest = encoded;
        const std::string_view domain = "convene-lease-1:";
        RC_ASSERT(rest.starts_with(domain));
        rest.remove_prefix(domain.size());
        RC_ASSERT(take_field(rest) == std::string{word_of(kind)});
        RC_ASSERT(take_field(rest) == organization);
        RC_ASSERT(take_field(rest) == id);
        RC_ASSERT(rest.empty());
    });
    EXPECT_TRUE(holds);
}

// Names that a careless separator would confuse have different keys.
// Proves: L2
TEST(LeaseName, IsNotConfusedByHostileIds) {
    using namespace std::string_literals;
    const std::array<std::pair<std::string, std::string>, 10> parts{{
        {"a", "b"},
        {"a/b", ""},
        {"", "a/b"},
        {"a:b", ""},
        {"", "a:b"},
        {"1:a,1:b", ""},
        {"a", "b\0"s},
        {"a", "b\0c"s},
        {"a\0"s, "b"},
        {"a", "\xFF\xFE"},
    }};
    std::vector<std::int64_t> keys;
    for (const auto& [organization, id] : parts) {
        for (const lease_kind kind : {lease_kind::room, lease_kind::delivery}) {
            keys.push_back(lease_name{kind, organization_id{organization}, id}.key());
        }
    }
    std::ranges::sort(keys);
    EXPECT_EQ(std::ranges::adjacent_find(keys), keys.end());
}

// The makers of the common names fill in the right kind, organisation and id.
TEST(LeaseName, IsMadeForRoomsClaimsAndDuties) {
    const organization_id acme{"acme"};
    const room_id room{"r1"};
    EXPECT_EQ(lease_name::room(acme, room), (lease_name{lease_kind::room, acme, "r1"}));
    EXPECT_EQ(lease_name::delivery(acme, room), (lease_name{lease_kind::delivery, acme, "r1"}));
    EXPECT_EQ(
        lease_name::leader("email-queue"),
        (lease_name{lease_kind::leader, organization_id{}, "email-queue"})
    );
    EXPECT_NE(lease_name::room(acme, room), lease_name::delivery(acme, room));
    EXPECT_NE(lease_name::room(acme, room), lease_name::room(organization_id{"other"}, room));
}

// A delivery claim shows under the name that operators look for; others by kind, organisation and
// id.
// Proves: L2
TEST(LeaseName, ShowsWhatItProtects) {
    const organization_id acme{"acme"};
    const room_id room{"r1"};
    EXPECT_EQ(lease_name::delivery(acme, room).display(), "__delivery__:r1");
    EXPECT_EQ(lease_name::room(acme, room).display(), "room:acme/r1");
    EXPECT_EQ(lease_name::leader("email-queue").display(), "leader:/email-queue");
}

// Every kind has its frozen word; a number that is no kind has none.
TEST(LeaseName, HasAWordForEveryKind) {
    const std::array<std::string_view, 7> words{
        "room", "delivery", "session", "leader", "skill", "schema", "worker"
    };
    for (std::size_t number = 1; number <= words.size(); ++number) {
        EXPECT_EQ(word_of(static_cast<lease_kind>(number)), words[number - 1]);
    }
    EXPECT_EQ(word_of(static_cast<lease_kind>(words.size() + 1)), "");
}

// A kind is known again by its word; that of a newer version is not.
// Proves: L11
TEST(LeaseName, KindsAreKnownByTheirWords) {
    for (const vector_of_key& one : golden_vectors()) {
        EXPECT_EQ(lease_kind_of(word_of(one.kind)), one.kind);
    }
    EXPECT_EQ(lease_kind_of("mail"), std::nullopt);
    EXPECT_EQ(lease_kind_of(""), std::nullopt);
}

}  // namespace
}  // namespace convene
