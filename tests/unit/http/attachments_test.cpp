// SPDX-License-Identifier: Apache-2.0
// Attachments over HTTP: upload, who may read, links, names in messages; and the small decisions behind them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "http/attachment_link.hpp"
#include "http/byte_range.hpp"
#include "http/file_name.hpp"
#include "support/documentation.hpp"
#include "unit/http/http_scene.hpp"

namespace convene {
namespace {

using testing::HasSubstr;

const std::string png = "\x89PNG\r\n\x1A\nrest";

/// Takes what a stream writes.
class kept_body final : public http_body_sink {
   public:
    awaitable<result<>> write(std::string piece) override {
        body += piece;
        co_return result<>{};
    }

    std::string body;
};

class attachment_scene : public http_scene {
   public:
    attachment_scene() { make_room(); }

    seen_reply upload(
        std::string bytes,
        std::string query = "?filename=cat.png",
        std::string who = "ann",
        std::string key = {}
    ) {
        http_request asked = request(
            http_method::post, "/api/v1/rooms/r/attachments" + query, std::move(who)
        );
        asked.headers.add("content-type", "image/png");
        asked.body = std::move(bytes);
        if (!key.empty()) {
            asked.headers.add("idempotency-key", std::move(key));
        }
        return ask(std::move(asked));
    }

    /// A download with its whole body.
    seen_reply download(
        std::string path, std::string who = "ann", std::pair<std::string, std::string> header = {}
    ) {
        http_request asked = request(http_method::get, std::move(path), std::move(who));
        if (!header.first.empty()) {
            asked.headers.add(header.first, header.second);
        }
        http_answer answered = loop.run(surface->front().answer(std::move(asked)));
        if (auto* const whole = std::get_if<http_response>(&answered)) {
            return {whole->status, std::move(whole->headers), std::move(whole->body)};
        }
        auto& stream = std::get<http_stream>(answered);
        kept_body kept;
        loop.run(stream.produce(&kept));
        EXPECT_EQ(stream.length, kept.body.size());
        return {stream.status, std::move(stream.headers), std::move(kept.body)};
    }

    seen_reply name_in_message(
        const std::string& id, std::string who = "ann", std::string more = {}
    ) {
        return post(
            "/api/v1/rooms/r/events",
            R"({"content":{"type":"media","url":"attachment:)" + id +
                R"(","mime_type":"image/png"})" + std::move(more) + "}",
            std::move(who)
        );
    }
};

// A file is uploaded by a member, described by what it is, and read back by its uploader.
// Proves: R20
TEST(HttpAttachments, AreUploadedAndRead) {
    attachment_scene scene;
    const seen_reply made = scene.upload(png);
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_EQ(made.text("filename"), "cat.png");
    EXPECT_EQ(made.text("mime_type"), "image/png");
    EXPECT_EQ(made.text("size_bytes"), std::to_string(png.size()));
    EXPECT_EQ(made.text("sha256"), to_hex(sha256(png)));
    EXPECT_EQ(made.text("url"), "attachment:" + made.text("id"));
    EXPECT_EQ(made.text("uploaded_by"), "user:ann");
    EXPECT_THAT(made.body, testing::Not(HasSubstr("key")));
    const seen_reply read = scene.download(made.header("location"));
    EXPECT_EQ(read.status, 200);
    EXPECT_EQ(read.body, png);
    EXPECT_EQ(read.header("content-type"), "image/png");
    EXPECT_THAT(read.header("content-disposition"), HasSubstr("inline; filename=\"cat.png\""));
    EXPECT_THAT(read.header("content-security-policy"), HasSubstr("sandbox"));
    EXPECT_EQ(read.header("x-content-type-options"), "nosniff");
    EXPECT_EQ(
        scene.download(made.header("location"), "ann", {"if-none-match", read.header("etag")})
            .status,
        304
    );
}

// What says that it is an image and is none is a download without a kind.
// Proves: R20, F1
TEST(HttpAttachments, AreWhatTheirBytesSay) {
    attachment_scene scene;
    const seen_reply made = scene.upload("<html><script>alert(1)</script>");
    EXPECT_EQ(made.text("mime_type"), "application/octet-stream");
    const seen_reply read = scene.download(made.header("location"));
    EXPECT_THAT(read.header("content-disposition"), HasSubstr("attachment;"));
}

// Who sees the room sees a file once a message that it may see names it; nobody else, whatever the organisation.
// Proves: R20, R10, X1
TEST(HttpAttachments, AreSeenByThoseWhoSeeWhatNamesThem) {
    attachment_scene scene;
    const seen_reply made = scene.upload(png);
    const std::string path = made.header("location");
    EXPECT_EQ(scene.download(path, "bob").status, 404);
    EXPECT_EQ(scene.download(path, "olga").status, 200);
    EXPECT_EQ(scene.download(path, "token").status, 200);
    EXPECT_EQ(scene.download(path, "eve").status, 404);
    EXPECT_EQ(scene.download(path, "").status, 401);
    const seen_reply said = scene.name_in_message(made.text("id"));
    ASSERT_EQ(said.status, 201) << said.body;
    EXPECT_EQ(scene.download(path, "bob").status, 200);

    // Taken back, the message shows nothing any more, and neither does its file.
    EXPECT_EQ(scene.erase("/api/v1/rooms/r/events/" + said.text("id")).status, 201);
    EXPECT_EQ(scene.download(path, "bob").status, 404);
    EXPECT_EQ(scene.download(path, "ann").status, 200) << "it is still the uploader's";
}

// A message that only others see does not open its file to somebody else.
// Proves: R20, R10
TEST(HttpAttachments, HiddenMessagesHideTheirFiles) {
    attachment_scene scene;
    const seen_reply made = scene.upload(png);
    const seen_reply said = scene.name_in_message(
        made.text("id"), "ann", R"(,"visibility":"intelligence")"
    );
    ASSERT_EQ(said.status, 201) << said.body;
    EXPECT_EQ(scene.download(made.header("location"), "bob").status, 404);
    EXPECT_EQ(scene.name_in_message(made.text("id"), "bob").status, 422);
}

// A message that names what is not in its room is refused, by the name of its field, and nothing is stored.
// Proves: R20, X1
TEST(HttpAttachments, MessagesNameWhatIsThere) {
    attachment_scene scene;
    scene.make_room("other");
    EXPECT_EQ(scene.name_in_message("no-such").fault(), "content: unknown_value");
    const std::string id = scene.upload(png).text("id");
    const seen_reply elsewhere = scene.post(
        "/api/v1/rooms/other/events",
        R"({"content":{"type":"media","url":"attachment:)" + id + R"(","mime_type":"image/png"}})"
    );
    EXPECT_EQ(elsewhere.status, 422);
    EXPECT_EQ(scene.timeline_of("acme").size(), 0U);
    const seen_reply said = scene.say("hello");
    EXPECT_EQ(
        scene
            .patch(
                "/api/v1/rooms/r/events/" + said.text("id"),
                R"({"content":{"type":"media","url":"attachment:none","mime_type":"image/png"}})"
            )
            .status,
        422
    );
}

// The same key and file is the first upload; another file under it is refused.
// Proves: R8, R20
TEST(HttpAttachments, AKeyUploadsOnce) {
    attachment_scene scene;
    const seen_reply first = scene.upload(png, "?filename=a.png", "ann", "k");
    ASSERT_EQ(first.status, 201);
    const seen_reply again = scene.upload(png, "?filename=a.png", "ann", "k");
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.text("id"), first.text("id"));
    EXPECT_EQ(
        scene.upload(png + "x", "?filename=a.png", "ann", "k").code(), "IDEMPOTENCY_KEY_REUSED"
    );
    EXPECT_NE(scene.upload(png, "?filename=a.png", "bob", "k").text("id"), first.text("id"));
    scene.erase(first.header("location"));
    EXPECT_EQ(scene.upload(png, "?filename=a.png", "ann", "k").code(), "ATTACHMENT_DELETED");
}

// A link is good for whoever has it until it expires, and for nothing else.
// Proves: R20, X2
TEST(HttpAttachments, LinksExpire) {
    attachment_scene scene;
    const seen_reply made = scene.upload(png);
    const seen_reply link = scene.post(
        made.header("location") + "/link", R"({"expires_in_seconds":60})"
    );
    ASSERT_EQ(link.status, 201) << link.body;
    const std::string url = link.text("url");
    EXPECT_EQ(scene.download(url, "").body, png);
    std::string forged = url;
    forged.back() = forged.back() == '0' ? '1' : '0';
    EXPECT_EQ(scene.download(forged, "").status, 404);
    const std::string later = std::string{url}.replace(url.find("expires=") + 8, 1, "9");
    EXPECT_EQ(scene.download(later, "").status, 404);
    scene.world->clock.advance(std::chrono::seconds{61});
    EXPECT_EQ(scene.download(url, "").status, 410);
    EXPECT_EQ(scene.post(made.header("location") + "/link", "{}", "bob").status, 404);
}

// Ranges are served from any byte, over the border of chunks.
// Proves: R20
TEST(HttpAttachments, RangesAreServed) {
    attachment_scene scene;
    std::string bytes(attachment_chunk_bytes + 100, 'a');
    bytes[attachment_chunk_bytes] = 'b';
    const std::string path = scene.upload(bytes).header("location");
    const std::string first = std::to_string(attachment_chunk_bytes - 1);
    const std::string last = std::to_string(attachment_chunk_bytes + 1);
    const seen_reply part = scene.download(path, "ann", {"range", "bytes=" + first + "-" + last});
    EXPECT_EQ(part.status, 206);
    EXPECT_EQ(part.body, "aba");
    EXPECT_EQ(
        part.header("content-range"),
        "bytes " + first + "-" + last + "/" + std::to_string(bytes.size())
    );
    EXPECT_EQ(scene.download(path, "ann", {"range", "bytes=-5"}).body, "aaaaa");
    EXPECT_EQ(scene.download(path, "ann", {"range", "bytes=9999999-"}).status, 416);
    EXPECT_EQ(scene.download(path).body, bytes);
}

// Its uploader or who manages the room removes a file; it is on the audit trail.
// Proves: R20
TEST(HttpAttachments, AreDeleted) {
    attachment_scene scene;
    const seen_reply made = scene.upload(png, "?filename=a.png", "bob");
    scene.name_in_message(made.text("id"), "bob");
    EXPECT_EQ(scene.erase(made.header("location"), "eve").status, 404);
    EXPECT_EQ(scene.get("/api/v1/rooms/r/attachments", "ann").list("attachments").size(), 1U);
    EXPECT_EQ(scene.get("/api/v1/rooms/r/attachments", "bob").status, 403);
    EXPECT_EQ(scene.erase(made.header("location"), "ann").status, 204);
    EXPECT_EQ(scene.download(made.header("location"), "bob").status, 404);
    EXPECT_EQ(scene.get("/api/v1/rooms/r/attachments", "ann").list("attachments").size(), 0U);
    const auto trail = scene.ask(ops::list_audit{organization_id{"acme"}, {}, 10});
    ASSERT_EQ(trail.size(), 1U);
    EXPECT_EQ(trail[0].action, "attachment.deleted");
    EXPECT_EQ(trail[0].actor, "user:ann");
}

// Hard deletion of the message that alone names a file takes it along.
// Proves: R20, R13
TEST(HttpAttachments, GoWithTheirMessage) {
    attachment_scene scene;
    const seen_reply made = scene.upload(png);
    const seen_reply said = scene.name_in_message(made.text("id"));
    EXPECT_EQ(scene.erase("/api/v1/rooms/r/events/" + said.text("id") + "?mode=hard").status, 200);
    EXPECT_EQ(scene.download(made.header("location")).status, 404);
}

// A link is what the page of the format shows, computed by another implementation.
// Proves: R20
TEST(AttachmentLink, GivesTheGoldenVector) {
    attachment shown;
    shown.id = attachment_id{"01890a5d-ac96-774b-bcce-b302099a8057"};
    shown.link_key = "cvl_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
    const std::string path = signed_path(shown, wall_time{std::chrono::seconds{1'767'225'600}});
    const std::string page = documentation_page("formats/secrets.md");
    EXPECT_THAT(page, HasSubstr("    " + shown.link_key + "\n    " + path + "\n"));
}

// Names lose paths and control characters, and are given back so that every browser reads them.
// Proves: R16, R20
TEST(FileNames, AreMadeSafe) {
    EXPECT_EQ(clean_file_name("../../etc/passwd"), "passwd");
    EXPECT_EQ(clean_file_name("C:\\temp\\a.txt"), "a.txt");
    EXPECT_EQ(clean_file_name("a\nb\x7F.txt"), "ab.txt");
    EXPECT_EQ(clean_file_name(".."), "file");
    EXPECT_EQ(clean_file_name(""), "file");
    std::string longest(254, 'a');
    EXPECT_EQ(clean_file_name(longest + "é"), longest) << "cut between characters";
    EXPECT_EQ(file_name_in(R"(attachment; filename="a;b\"c.txt")"), "a;b\"c.txt");
    EXPECT_EQ(file_name_in("attachment; filename=x.txt; filename*=utf-8'en'%C3%A9.txt"), "é.txt");
    EXPECT_EQ(file_name_in("form-data; name=x"), "");
    EXPECT_EQ(content_disposition("inline", "a.txt"), "inline; filename=\"a.txt\"");
    EXPECT_EQ(
        content_disposition("attachment", "é\".txt"),
        "attachment; filename=\"___.txt\"; filename*=UTF-8''%C3%A9%22.txt"
    );
}

// One range of bytes is read; what is malformed or more than one is the whole.
// Proves: R20
TEST(ByteRanges, AreRead) {
    using enum byte_range::verdict;
    const auto read = [](std::string_view header) { return range_of(header, 100); };
    EXPECT_EQ(range_of(std::nullopt, 100).what, whole);
    for (const char* const odd :
         {"bytes=", "bytes=a-", "bytes=5", "bytes=0-1,3-4", "lines=0-1", "bytes=9-1", "bytes=-"}) {
        EXPECT_EQ(read(odd).what, whole) << odd;
    }
    for (const char* const beyond : {"bytes=100-", "bytes=100-200", "bytes=-0"}) {
        EXPECT_EQ(read(beyond).what, unsatisfiable) << beyond;
    }
    EXPECT_EQ(range_of("bytes=0-", 0).what, unsatisfiable);
    byte_range range = read("bytes=10-19");
    EXPECT_EQ(range.what, part);
    EXPECT_EQ(range.first, 10);
    EXPECT_EQ(range.last, 19);
    range = read("bytes=90-1000");
    EXPECT_EQ(range.last, 99);
    range = read("bytes=-30");
    EXPECT_EQ(range.first, 70);
    EXPECT_EQ(range.last, 99);
    EXPECT_EQ(read("bytes=-1000").first, 0);
}

}  // namespace
}  // namespace convene
