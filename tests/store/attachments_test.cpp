// SPDX-License-Identifier: Apache-2.0
// What every store promises about attachments: uploads in chunks, who names them, quotas, and erasure.
#include "store/operations/attachments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/conformance.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using verdict = ops::begin_attachment::verdict;

class Attachments : public conformance {
   protected:
    void SetUp() override {
        create("r");
        register_worker(worker_one());
        register_worker(worker_two());
    }

    static attachment described(const std::string& id, std::size_t size, std::string room = "r") {
        attachment wanted;
        wanted.id = attachment_id{id};
        wanted.organization = acme();
        wanted.room = room_id{std::move(room)};
        wanted.filename = id + ".bin";
        wanted.media_type = "application/octet-stream";
        wanted.size_bytes = static_cast<std::int64_t>(size);
        wanted.sha256 = "hash of " + id;
        wanted.uploaded_by = "user:ann";
        wanted.link_key = "key of " + id;
        return wanted;
    }

    ops::begin_attachment::outcome begin(
        const std::string& id, std::size_t size, incarnation_id uploader = worker_one()
    ) {
        return must(ops::begin_attachment{described(id, size), std::move(uploader)});
    }

    errc append(
        const std::string& id,
        std::int64_t number,
        std::string bytes,
        incarnation_id uploader = worker_one()
    ) {
        return error_of(
            ops::append_attachment{attachment_id{id}, std::move(uploader), number, std::move(bytes)}
        );
    }

    /// Uploads bytes in as many chunks as they need.
    attachment upload(const std::string& id, const std::string& bytes, std::string room = "r") {
        const attachment wanted = described(id, bytes.size(), std::move(room));
        EXPECT_EQ(must(ops::begin_attachment{wanted, worker_one()}).what, verdict::begun);
        for (std::size_t at = 0; at < bytes.size(); at += attachment_chunk_bytes) {
            const auto number = static_cast<std::int64_t>(at / attachment_chunk_bytes);
            EXPECT_EQ(append(id, number, bytes.substr(at, attachment_chunk_bytes)), succeeded);
        }
        return must(ops::finish_attachment{attachment_id{id}, worker_one()});
    }

    static room_event naming(std::string event, const std::string& id) {
        room_event message = make_message(std::move(event));
        message.content = *parse_content(
            R"({"type":"media","url":"attachment:)" + id + R"(","mime_type":"image/png"})"
        );
        return message;
    }

    std::vector<std::string> named_by(const std::string& id) {
        std::vector<std::string> ids;
        for (const event_id& event :
             must(ops::get_attachment{acme(), attachment_id{id}}).named_by) {
            ids.push_back(event.str());
        }
        return ids;
    }

    bool is_there(const std::string& id) {
        return run(ops::get_attachment{acme(), attachment_id{id}}).has_value();
    }

    std::int64_t erase() {
        std::int64_t erased = 0;
        for (;;) {
            const auto done = must(ops::erase_attachments{4});
            erased += done.erased;
            if (!done.has_more) {
                return erased;
            }
        }
    }

    bool remove(const std::string& id, organization_id organization = acme()) {
        return must(ops::remove_attachment{std::move(organization), attachment_id{id}, {}});
    }
};

CONVENE_ON_EVERY_STORE(Attachments);

// What was uploaded in chunks is read back in them, after a restart too, whatever bytes it is made of.
// Proves: R20
TEST_P(Attachments, AreReadAsTheyWereUploaded) {
    std::string bytes(attachment_chunk_bytes + 10, '\0');
    bytes[1] = '\xFF';
    bytes.back() = 'z';
    const attachment stored = upload("a", bytes);
    EXPECT_EQ(stored.state, attachment_state::stored);
    EXPECT_EQ(stored.created_at, clock().now());
    harness().restart();
    const auto found = must(ops::get_attachment{acme(), attachment_id{"a"}});
    EXPECT_EQ(found.attachment, stored);
    EXPECT_THAT(found.named_by, IsEmpty());
    EXPECT_EQ(
        must(ops::read_attachment{attachment_id{"a"}, 0}), bytes.substr(0, attachment_chunk_bytes)
    );
    EXPECT_EQ(
        must(ops::read_attachment{attachment_id{"a"}, 1}), bytes.substr(attachment_chunk_bytes)
    );
    EXPECT_EQ(error_of(ops::read_attachment{attachment_id{"a"}, 2}), errc::not_found);
    EXPECT_TRUE(run(ops::get_attachment{std::nullopt, attachment_id{"a"}}).has_value());
    const ops::get_attachment foreign{organization_id{"globex"}, attachment_id{"a"}};
    EXPECT_EQ(error_of(foreign), errc::not_found);
}

// An upload is nobody's to see until it is whole, and takes only its own next chunk, as long as it must be.
// Proves: R20
TEST_P(Attachments, AreInvisibleUntilTheyAreWhole) {
    begin("a", attachment_chunk_bytes + 1);
    const std::string whole(attachment_chunk_bytes, 'x');
    EXPECT_EQ(append("a", 1, "y"), errc::invalid_argument);
    EXPECT_EQ(append("a", 0, "short"), errc::invalid_argument);
    EXPECT_EQ(append("a", 0, whole, worker_two()), errc::claim_lost);
    EXPECT_EQ(append("a", 0, whole), succeeded);
    EXPECT_EQ(append("a", 0, whole), errc::invalid_argument);
    const ops::finish_attachment end{attachment_id{"a"}, worker_one()};
    EXPECT_EQ(error_of(end), errc::invalid_argument);
    EXPECT_FALSE(is_there("a"));
    EXPECT_EQ(error_of(ops::read_attachment{attachment_id{"a"}, 0}), errc::not_found);
    EXPECT_EQ(append("a", 1, "y"), succeeded);
    EXPECT_EQ(append("a", 2, "y"), errc::invalid_argument);
    must(end);
    EXPECT_TRUE(is_there("a"));
    EXPECT_EQ(append("a", 2, "y"), errc::claim_lost);
    EXPECT_EQ(error_of(end), errc::claim_lost);
}

// An empty file is a file.
// Proves: R20
TEST_P(Attachments, MayBeEmpty) {
    EXPECT_EQ(upload("a", "").size_bytes, 0);
    EXPECT_TRUE(is_there("a"));
    EXPECT_TRUE(remove("a"));
    EXPECT_EQ(erase(), 1);
}

// One id is one upload: a repetition finds it running or stored; one that was given up, by a death or by its time, is
// begun afresh.
// Proves: R20, R8
TEST_P(Attachments, OneIdIsOneUpload) {
    EXPECT_EQ(begin("a", 3).what, verdict::begun);
    EXPECT_EQ(begin("a", 3, worker_two()).what, verdict::running);
    EXPECT_EQ(append("a", 0, "abc"), succeeded);
    bury(worker_one());
    EXPECT_EQ(begin("a", 3, worker_two()).what, verdict::begun);
    EXPECT_EQ(append("a", 0, "abc"), errc::claim_lost);
    clock().advance(attachment_upload_time);
    EXPECT_EQ(begin("a", 3, worker_two()).what, verdict::begun);
    EXPECT_EQ(append("a", 0, "abc", worker_two()), succeeded);
    must(ops::finish_attachment{attachment_id{"a"}, worker_two()});
    const auto again = begin("a", 5);
    EXPECT_EQ(again.what, verdict::known);
    EXPECT_EQ(again.stored.size_bytes, 3);
    remove("a");
    EXPECT_EQ(begin("a", 3).what, verdict::removed);
    erase();
    EXPECT_EQ(begin("a", 3, worker_two()).what, verdict::begun);

    // Abandoned by its own worker: at once, not when its time is over.
    must(ops::abandon_attachment{attachment_id{"a"}, worker_one()});
    EXPECT_EQ(begin("a", 3, worker_two()).what, verdict::running);
    must(ops::abandon_attachment{attachment_id{"a"}, worker_two()});
    EXPECT_EQ(begin("a", 3, worker_two()).what, verdict::begun);
    EXPECT_EQ(
        error_of(ops::begin_attachment{described("b", 1, "no"), worker_one()}), errc::not_found
    );
}

// What is being uploaded counts against the quotas; what was removed, or given up, no longer does.
// Proves: R20
TEST_P(Attachments, CountAgainstQuotas) {
    create("other");
    const auto try_to = [&](const std::string& id, std::size_t size, std::string room = "r") {
        return must(
                   ops::begin_attachment{described(id, size, std::move(room)), worker_one(), 10, 15}
        )
            .what;
    };
    EXPECT_EQ(try_to("a", 6), verdict::begun);
    EXPECT_EQ(try_to("b", 5), verdict::room_full);
    EXPECT_EQ(try_to("b", 4), verdict::begun);
    EXPECT_EQ(try_to("c", 6, "other"), verdict::organization_full);
    EXPECT_EQ(try_to("c", 5, "other"), verdict::begun);
    append("a", 0, "aaaaaa");
    must(ops::finish_attachment{attachment_id{"a"}, worker_one()});
    remove("a");
    EXPECT_EQ(try_to("d", 6), verdict::begun);
    // Begun afresh, an upload counts once.
    must(ops::abandon_attachment{attachment_id{"d"}, worker_one()});
    EXPECT_EQ(try_to("d", 6), verdict::begun);
    EXPECT_EQ(try_to("e", 1), verdict::room_full);
    must(ops::delete_room{acme(), room_id{"r"}});
    EXPECT_EQ(try_to("e", 10, "other"), verdict::room_full);
    EXPECT_EQ(try_to("e", 5, "other"), verdict::begun);
}

// A room's attachments come in pages by id, only those that are stored, only to their organisation.
// Proves: R20, X1
TEST_P(Attachments, AreListedByRoom) {
    create("other");
    upload("a", "1");
    upload("b", "2");
    upload("c", "3", "other");
    begin("d", 1);
    const auto page = [&](std::string after, std::size_t limit, organization_id of = acme()) {
        std::vector<std::string> ids;
        for (const attachment& one : must(ops::list_attachments{
                 std::move(of), room_id{"r"}, attachment_id{std::move(after)}, limit
             })) {
            ids.push_back(one.id.str());
        }
        return ids;
    };
    EXPECT_THAT(page("", 10), ElementsAre("a", "b"));
    EXPECT_THAT(page("", 1), ElementsAre("a"));
    EXPECT_THAT(page("a", 10), ElementsAre("b"));
    EXPECT_THAT(page("", 10, organization_id{"globex"}), IsEmpty());
}

// What no message names is gone a day later; what one names stays until the last such message is deleted for good.
// Proves: R20
TEST_P(Attachments, StayWhileAMessageNamesThem) {
    upload("named", "1");
    upload("unnamed", "2");
    must(batch("r").add(naming("m1", "named")).add(naming("m2", "named")).take());
    EXPECT_THAT(named_by("named"), ElementsAre("m1", "m2"));
    clock().advance(attachment_unnamed_time);
    EXPECT_EQ(erase(), 1);
    EXPECT_FALSE(is_there("unnamed"));
    EXPECT_TRUE(is_there("named"));
    must(ops::delete_event{acme(), room_id{"r"}, event_id{"m1"}, true});
    EXPECT_TRUE(is_there("named"));
    must(ops::delete_event{acme(), room_id{"r"}, event_id{"m2"}, true});
    EXPECT_FALSE(is_there("named"));
    EXPECT_EQ(erase(), 1);
}

// An edit names what its new content names; parts of a composite count, a text that looks like a name does not.
// Proves: R20
TEST_P(Attachments, AreNamedByFieldsThatAreUrls) {
    upload("a", "1");
    upload("b", "2");
    room_event composite = make_message("m1");
    composite.content = *parse_content(
        R"({"type":"composite","parts":[{"type":"text","body":"attachment:b"},)"
        R"({"type":"video","url":"https://x.example/v","mime_type":"video/mp4",)"
        R"("thumbnail_url":"attachment:a"}]})"
    );
    must(batch("r").add(composite).add(make_message("m2", "attachment:b")).take());
    EXPECT_THAT(named_by("a"), ElementsAre("m1"));
    EXPECT_THAT(named_by("b"), IsEmpty());

    batch_on edit = batch("r");
    room_event change = make_message("m3");
    const content after = *parse_content(
        R"({"type":"media","url":"attachment:b","mime_type":"image/png"})"
    );
    change.content = content::edit(event_id{"m2"}, after);
    edit.add(change);
    edit.commit().changes.push_back({event_id{"m2"}, after});
    must(edit.take());
    EXPECT_THAT(named_by("b"), ElementsAre("m2", "m3"));
}

// A message of one room names nothing of another, nor what is not whole.
// Proves: R20, X1
TEST_P(Attachments, AreNamedInTheirRoomOnly) {
    create("other");
    upload("a", "1", "other");
    begin("b", 1);
    must(batch("r").add(naming("m1", "a")).add(naming("m2", "b")).take());
    EXPECT_THAT(named_by("a"), IsEmpty());
    append("b", 0, "1");
    must(ops::finish_attachment{attachment_id{"b"}, worker_one()});
    EXPECT_THAT(named_by("b"), IsEmpty());
}

// A removal is seen at once and once; the bytes go in steps of bounded size.
// Proves: R20
TEST_P(Attachments, AreErasedInSteps) {
    upload("a", std::string(3 * attachment_chunk_bytes, 'a'));
    upload("b", "b");
    must(batch("r").add(naming("m", "a")).take());
    EXPECT_FALSE(remove("a", organization_id{"globex"}));
    EXPECT_TRUE(remove("a"));
    EXPECT_FALSE(remove("a"));
    EXPECT_FALSE(is_there("a"));
    EXPECT_EQ(error_of(ops::read_attachment{attachment_id{"a"}, 0}), errc::not_found);
    auto step = must(ops::erase_attachments{2});
    EXPECT_EQ(step.erased, 0);
    EXPECT_TRUE(step.has_more);
    harness().restart();
    step = must(ops::erase_attachments{3});
    EXPECT_EQ(step.erased, 1);
    EXPECT_FALSE(step.has_more);
    EXPECT_TRUE(is_there("b"));
    must(ops::delete_event{acme(), room_id{"r"}, event_id{"m"}, true});
}

// An upload whose worker died leaves nothing; a live one's is left alone until its time is over.
// Proves: R20
TEST_P(Attachments, OfADeadWorkerAreErased) {
    begin("a", 1);
    append("a", 0, "1");
    begin("b", 1, worker_two());
    EXPECT_EQ(erase(), 0);
    bury(worker_one());
    EXPECT_EQ(erase(), 1);
    EXPECT_EQ(append("b", 0, "1", worker_two()), succeeded);
    clock().advance(attachment_upload_time);
    EXPECT_EQ(erase(), 1);
    EXPECT_EQ(append("b", 1, "1", worker_two()), errc::claim_lost);
}

// A room takes its attachments with it.
// Proves: R20
TEST_P(Attachments, GoWithTheirRoom) {
    upload("a", "1");
    upload("b", "2");
    begin("c", 1);
    must(batch("r").add(naming("m", "a")).take());
    must(ops::delete_room{acme(), room_id{"r"}});
    EXPECT_FALSE(is_there("a"));
    EXPECT_FALSE(is_there("b"));
    EXPECT_EQ(append("c", 0, "1"), errc::claim_lost);
    EXPECT_EQ(erase(), 3);
}

}  // namespace

}  // namespace convene
