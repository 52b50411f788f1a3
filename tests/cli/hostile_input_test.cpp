// SPDX-License-Identifier: Apache-2.0
// The hostile corpus through every way in that exists: the library's calls, `convene import` and `convene send`.
#include "convene/lease.hpp"
#include "convene/loop.hpp"
#include "convene/memory_store.hpp"
#include "convene/room_kit.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "base/canonical_json.hpp"
#include "base/json_writer.hpp"
#include "base/text_boundary.hpp"
#include "cli/program_run.hpp"
#include "store/store.hpp"
#include "support/hostile_corpus.hpp"

namespace convene {

namespace {

// -- the library -----------------------------------------------------------------------------------

/// A kit with one room, and a document sent to it in the place it claims to be for.
class library_surface {
   public:
    library_surface()
        : store_(make_memory_store(system_wall_clock())),
          locks_(make_in_memory_lock_manager(loop_)),
          kit_(parts(), room_kit_settings{}) {
        EXPECT_TRUE(loop_.run_until_done(kit_.init()));
        room wanted;
        wanted.id = room_id{"room"};
        EXPECT_TRUE(loop_.run_until_done(kit_.create_room(wanted, {}, {})));
    }

    ~library_surface() { loop_.run_until_done(kit_.close()); }

    library_surface(const library_surface&) = delete;
    library_surface& operator=(const library_surface&) = delete;

    /// An error if it was refused.
    result<> send(const hostile_document& document) {
        outgoing_event sent;
        sent.room = room_id{"room"};
        sent.content = content::text("hello");
        switch (document.kind) {
            case hostile_kind::text:
                if (const auto ok = check_text(document.bytes, "body"); !ok) {
                    return ok.error().code();
                }
                sent.content = content::text(document.bytes);
                break;
            case hostile_kind::id:
                sent.correlation_id = document.bytes;
                sent.room = room_id{document.bytes.empty() ? "" : "room"};
                break;
            case hostile_kind::json: {
                const checked<json_text> metadata = parse_json_object(document.bytes, "metadata");
                if (!metadata) {
                    return metadata.error().code();
                }
                sent.metadata = *metadata;
                break;
            }
            case hostile_kind::content: {
                const checked<content> parsed = parse_content(document.bytes);
                if (!parsed) {
                    return parsed.error().code();
                }
                sent.content = *parsed;
                sent.type = parsed->type() == content_type::edit ? event_type::edit
                                                                 : event_type::message;
                break;
            }
        }
        const auto receipt = loop_.run_until_done(kit_.send_event(sent, wait_for::delivered));
        if (!receipt) {
            return receipt.error();
        }
        last_ = receipt->event;
        return {};
    }

    /// What was stored last, as it is read back.
    room_event stored() {
        const ops::get_event request{organization_id{}, room_id{"room"}, last_.id};
        return *loop_.run_until_done(kit_.store().run(request));
    }

   private:
    room_kit_parts parts() {
        room_kit_parts all;
        all.where = &loop_;
        all.store = store_.get();
        all.locks = locks_.get();
        return all;
    }

    loop loop_;
    std::unique_ptr<conversation_store> store_;
    std::unique_ptr<lock_manager> locks_;
    room_kit kit_;
    room_event last_;
};

class hostile_input_test : public testing::TestWithParam<hostile_document> {};

// What the boundary accepts is stored and comes back as it was; the rest is an error of the caller, and nothing
// of it is stored. (An edit of an event that is not there is refused too, by the room.)
// Proves: R16
TEST_P(hostile_input_test, IsStoredAsItIsOrRefusedByTheLibrary) {
    const hostile_document& document = GetParam();
    library_surface library;
    const result<> sent = library.send(document);
    if (!document.is_accepted()) {
        ASSERT_FALSE(sent);
        EXPECT_EQ(sent.error(), condition::caller_error);
        return;
    }
    if (document.name == "content_edit") {
        EXPECT_EQ(sent.error(), errc::target_event_not_found);
        return;
    }
    ASSERT_TRUE(sent) << sent.error().message();
    const room_event stored = library.stored();
    if (document.kind == hostile_kind::text) {
        EXPECT_EQ(stored.content.body(), document.bytes);
    } else if (document.kind == hostile_kind::id) {
        EXPECT_EQ(stored.correlation_id, document.bytes);
    }
}

INSTANTIATE_TEST_SUITE_P(
    All,
    hostile_input_test,
    testing::ValuesIn(hostile_corpus()),
    [](const testing::TestParamInfo<hostile_document>& info) {
        return std::string{info.param.name};
    }
);

// -- the program -----------------------------------------------------------------------------------

/// A JSON string whose bytes are those of the document, with escapes only where a line would end without them.
std::string as_json_string(std::string_view bytes) {
    std::string text = "\"";
    for (const char c : bytes) {
        if (c == '"' || c == '\\') {
            text += '\\';
            text += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            constexpr std::string_view digits = "0123456789abcdef";
            text += "\\u00";
            text += digits[static_cast<unsigned char>(c) >> 4U];
            text += digits[static_cast<unsigned char>(c) & 0x0FU];
        } else {
            text += c;
        }
    }
    return text + '"';
}

/// The document as lines of an import, the last of which is the one it is in.
std::string lines_with(const hostile_document& document, const std::string& name) {
    const std::string room = R"({"record":"room","room":")" + name + "\"";
    switch (document.kind) {
        case hostile_kind::text:
            return R"({"dialogue_id":")" + name + R"(","turns":[{"speaker":"u","text":)" +
                   as_json_string(document.bytes) + "}]}\n";
        case hostile_kind::id:
            return R"({"dialogue_id":)" + as_json_string(document.bytes) + R"(,"turns":[]})" + "\n";
        case hostile_kind::json:
            return room + R"(,"metadata":)" + document.bytes + "}\n";
        case hostile_kind::content:
            return room + "}\n" + R"({"record":"event","room":")" + name + R"(","n":0,"content":)" +
                   document.bytes + "}\n";
    }
    return {};
}

/// The field of a line that a document's root stands in.
std::string field_in_line(const hostile_document& document) {
    const std::string_view root = root_field(document.kind);
    std::string field = document.field;
    if (document.kind == hostile_kind::text) {
        field.replace(0, root.size(), "turns[0].text");
    } else if (document.kind == hostile_kind::id) {
        field.replace(0, root.size(), "dialogue_id");
    }
    return field;
}

/// Documents that a line can't have, or that are something else inside of one.
bool is_different_in_a_line(const hostile_document& document) {
    const bool breaks_the_line = document.kind != hostile_kind::text &&
                                 document.kind != hostile_kind::id &&
                                 document.bytes.find('\n') != std::string::npos;
    return breaks_the_line ||
           document.name == "json_null_for_object" ||      // a member that is null is left out
           document.name == "json_over_the_size_limit" ||  // its spaces are not part of the value
           document.name == "content_edit";  // good content, but there is nothing to edit
}

/// Whether the place of the fault is that of the document alone: broken grammar and depth are seen by whoever
/// reads the whole line.
bool has_own_place(const hostile_document& document) {
    return document.reason != "not_json" && document.reason != "too_deep";
}

struct refused_line {
    std::string field;
    std::string reason;
};

/// Imports in portions, since a summary names 100 lines at most.
class importer {
   public:
    void add(const hostile_document& document) {
        text_ += lines_with(document, "room-" + std::to_string(documents_.size()));
        last_line_ = std::count(text_.begin(), text_.end(), '\n');
        documents_.push_back({&document, last_line_});
    }

    /// Each document with what became of its line.
    template <class Check>
    void run(const program_folder& folder, Check check) {
        const program_end ended = folder.run({"import", "-", "--json"}, text_);
        ASSERT_TRUE(ended.code == 1 || ended.code == 3) << ended.code << ended.err;
        std::map<std::int64_t, refused_line> refused;
        const boost::json::value summary = boost::json::parse(ended.out);
        for (const boost::json::value& problem : summary.at("problems").as_array()) {
            refused[problem.at("line").as_int64()] = {
                std::string{problem.at("field").as_string()},
                std::string{problem.at("reason").as_string()}
            };
        }
        for (const auto& [document, line] : documents_) {
            const auto found = refused.find(line);
            check(*document, found == refused.end() ? std::nullopt : std::optional{found->second});
        }
    }

    [[nodiscard]] std::size_t size() const { return documents_.size(); }

   private:
    struct placed {
        const hostile_document* document;
        std::int64_t line;
    };

    std::string text_;
    std::int64_t last_line_ = 0;
    std::vector<placed> documents_;
};

void check_line(const hostile_document& document, const std::optional<refused_line>& refused) {
    SCOPED_TRACE(document.name);
    EXPECT_EQ(refused.has_value(), !document.is_accepted());
    if (!refused || document.is_accepted()) {
        return;
    }
    EXPECT_EQ(refused->reason, document.reason);
    if (has_own_place(document)) {
        EXPECT_EQ(refused->field, field_in_line(document));
    }
}

// Every document in a line of an import: each bad one is named by line, field and reason, and does not keep the
// good ones from being stored.
// Proves: R16, S6
TEST(HostileImport, NamesEveryBadLineAndTakesEveryGoodOne) {
    constexpr std::size_t portion = 80;
    std::size_t checked_documents = 0;
    auto next = hostile_corpus().begin();
    while (next != hostile_corpus().end()) {
        importer lines;
        for (; next != hostile_corpus().end() && lines.size() < portion; ++next) {
            if (!is_different_in_a_line(*next)) {
                lines.add(*next);
            }
        }
        checked_documents += lines.size();
        const program_folder folder;
        lines.run(folder, check_line);
    }
    EXPECT_GE(checked_documents, hostile_corpus().size() - 8);
}

// The texts as messages of `send`, from standard input: exit code 3 and the field, or stored as they are.
// Proves: R16
TEST(HostileSend, RefusesBadTextByFieldAndStoresGoodTextAsItIs) {
    for (const hostile_document& document : hostile_corpus()) {
        if (document.kind != hostile_kind::text) {
            continue;
        }
        SCOPED_TRACE(document.name);
        const program_folder folder;
        const program_end ended = folder.run(
            {"send", "--create", "room", "-", "--json"}, document.bytes
        );
        if (document.is_accepted()) {
            ASSERT_EQ(ended.code, 0) << ended.err;
            const boost::json::value receipt = boost::json::parse(ended.out);
            EXPECT_EQ(receipt.at("event").at("content").at("body").as_string(), document.bytes);
        } else {
            EXPECT_EQ(ended.code, 3);
            EXPECT_NE(ended.err.find("TEXT: " + std::string{document.reason}), std::string::npos)
                << ended.err;
        }
    }
}

// The ids as a room's name, a speaker and a key.
// Proves: R16
TEST(HostileSend, RefusesBadIdsByFlag) {
    for (const hostile_document& document : hostile_corpus()) {
        // An argument ends at a NUL: such an id can't be given.
        if (document.kind != hostile_kind::id || document.bytes.find('\0') != std::string::npos) {
            continue;
        }
        SCOPED_TRACE(document.name);
        const program_folder folder;
        const std::string& id = document.bytes;
        const int wanted = document.is_accepted() ? 0 : 3;
        EXPECT_EQ(folder.run({"send", "--create", "--", id, "hello"}).code, wanted);
        EXPECT_EQ(folder.run({"send", "--create", "room", "hello", "--as", id}).code, wanted);
    }
}

}  // namespace

}  // namespace convene
