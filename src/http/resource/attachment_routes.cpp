// SPDX-License-Identifier: Apache-2.0
// Attachments over HTTP: upload, list, download, links, removal.
#include "convene/wait.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "access/secret_token.hpp"
#include "base/hash.hpp"
#include "base/json_writer.hpp"
#include "base/media_kind.hpp"
#include "base/text_boundary.hpp"
#include "http/attachment_access.hpp"
#include "http/attachment_link.hpp"
#include "http/audit.hpp"
#include "http/byte_range.hpp"
#include "http/cursor.hpp"
#include "http/file_name.hpp"
#include "http/resource/resources.hpp"
#include "http/room_access.hpp"
#include "http/uri.hpp"
#include "http/view/attachment_view.hpp"
#include "http/view/words.hpp"

namespace convene {

namespace {

/// The namespace of ids of attachments that were uploaded with a key: the same key makes the same attachment.
constexpr std::string_view keyed_attachments = "0b5f0c53-7d0e-4a4e-8f0a-6a2c7f1b9d34";

using std::chrono::nanoseconds;

constexpr std::int64_t longest_link = 7 * 24 * 3600;
constexpr std::int64_t latest_expiry = 253'402'300'799;  // the end of the year 9999

// -- uploading ------------------------------------------------------------------------------------

problem too_large_problem() {
    problem what;
    what.status = 413;
    what.code = "PAYLOAD_TOO_LARGE";
    what.detail = "the file is larger than ATTACHMENT_MAX_BYTES allows";
    return what;
}

problem quota_problem(std::string detail) {
    return conflict_problem("ATTACHMENT_QUOTA_EXCEEDED", std::move(detail));
}

problem erased_problem() {
    problem what;
    what.status = 410;
    what.code = "ATTACHMENT_DELETED";
    what.detail = "what this key uploaded was deleted since: upload it under another key";
    return what;
}

/// The name that the request says, in its query or its `Content-Disposition`.
or_problem<std::string> file_name_of(const route_call& call) {
    std::string name = call.text("filename").value_or("");
    if (name.empty()) {
        name = file_name_in(call.request.headers.find("content-disposition").value_or(""));
    }
    if (const checked<> clean = check_text(name, "filename"); !clean) {
        return problem_of(clean.error());
    }
    return clean_file_name(name);
}

/// A piece at a time: the loop has other things to do.
awaitable<result<std::string>> hash_of(std::shared_ptr<const std::string> bytes) {
    sha256_stream hash;
    for (std::size_t at = 0; at < bytes->size(); at += attachment_chunk_bytes) {
        hash.add(std::string_view{*bytes}.substr(at, attachment_chunk_bytes));
        const result<> others_had_their_turn = co_await sleep_for(nanoseconds::zero());
        if (!others_had_their_turn) {
            co_return others_had_their_turn.error();
        }
    }
    co_return to_hex(hash.finish());
}

/// Stores the bytes of an upload that has begun. Whatever fails, it can be begun again at once.
awaitable<result<attachment>> store_bytes(
    resource_parts parts, attachment_id id, std::shared_ptr<const std::string> bytes
) {
    conversation_store& store = parts.kit->store();
    const incarnation_id me = parts.kit->incarnation();
    result<> stored;
    for (std::size_t at = 0; stored && at < bytes->size(); at += attachment_chunk_bytes) {
        ops::append_attachment chunk;
        chunk.id = id;
        chunk.uploader = me;
        chunk.number = static_cast<std::int64_t>(at / attachment_chunk_bytes);
        chunk.bytes = bytes->substr(at, attachment_chunk_bytes);
        const auto appended = co_await store.run(std::move(chunk));
        stored = appended ? result<>{} : result<>{appended.error()};
    }
    if (stored) {
        ops::finish_attachment end{id, me};
        auto finished = co_await store.run(std::move(end));
        if (finished) {
            co_return finished;
        }
        stored = finished.error();
    }
    ops::abandon_attachment given_up{id, me};
    const auto abandoned = co_await store.run(std::move(given_up));
    static_cast<void>(abandoned);  // else it is given up when its time is over
    co_return stored.error();
}

handled answer_of_upload(int status, const attachment& stored) {
    http_response answer = json_answer(status, attachment_as_json(stored));
    answer.headers.set("location", "/api/v1/attachments/" + percent_encode(stored.id.str()));
    return answer;
}

bool is_same_file(const attachment& a, const attachment& b) {
    return a.room == b.room && a.filename == b.filename && a.media_type == b.media_type &&
           a.size_bytes == b.size_bytes && a.sha256 == b.sha256;
}

awaitable<handled> upload(resource_parts parts, route_call call) {
    const auto bytes = std::make_shared<const std::string>(std::move(call.request.body));
    if (bytes->size() > parts.attachments.max_bytes) {
        co_return too_large_problem();
    }
    or_problem<std::string> name = file_name_of(call);
    if (!name) {
        co_return name.error();
    }
    ops::begin_attachment beginning;
    attachment& wanted = beginning.attachment;
    wanted.organization = call.who.organization;
    wanted.room = call.room->room.id;
    wanted.filename = *std::move(name);
    wanted.media_type = settled_media_type(
        call.request.headers.find("content-type").value_or(""), *bytes
    );
    wanted.size_bytes = static_cast<std::int64_t>(bytes->size());
    wanted.uploaded_by = uploader_of(call.who);
    wanted.link_key = make_secret(secret_kind::link, *parts.random).text;
    wanted.id = call.idempotency_key.empty() ? parts.ids->next<attachment_id>()
                                             : attachment_id{uuid5(
                                                   keyed_attachments,
                                                   call.who.rate_key() + '\n' + wanted.room.str() +
                                                       '\n' + call.idempotency_key
                                               )};
    beginning.uploader = parts.kit->incarnation();
    beginning.room_bytes = parts.attachments.room_bytes;
    beginning.organization_bytes = parts.attachments.organization_bytes;
    result<std::string> hash = co_await hash_of(bytes);
    if (!hash) {
        co_return problem_of(hash.error());
    }
    wanted.sha256 = *std::move(hash);
    const attachment described = wanted;

    const auto entry = co_await parts.kit->store().run(std::move(beginning));
    if (!entry) {
        co_return problem_of(entry.error());
    }
    using enum ops::begin_attachment::verdict;
    switch (entry->what) {
        case known:
            if (!is_same_file(entry->stored, described)) {
                co_return problem_of(make_error_code(errc::idempotency_key_reused));
            }
            co_return answer_of_upload(200, entry->stored);
        case running:
            co_return problem_of(make_error_code(errc::duplicate_key));
        case removed:
            co_return erased_problem();
        case room_full:
            co_return quota_problem(
                "the room's files are as many as ATTACHMENT_ROOM_MAX_BYTES "
                "allows: delete some"
            );
        case organization_full:
            co_return quota_problem(
                "the organisation's files are as many as "
                "ATTACHMENT_ORGANIZATION_MAX_BYTES allows: delete some"
            );
        case begun:
            break;
    }
    // Not left half done because the other end has gone: a repetition with the key finds it.
    auto storing = store_bytes(parts, described.id, bytes);
    const auto stored = co_await shielded(std::move(storing));
    if (!stored) {
        co_return problem_of(stored.error());
    }
    co_return answer_of_upload(201, *stored);
}

// -- reading --------------------------------------------------------------------------------------

schema attachment_list_schema() {
    return schema::object(
        "AttachmentList",
        {required("attachments", schema::list(attachment_schema())),
         required("next_cursor", schema::text().or_null(), "`null` at the end")}
    );
}

awaitable<handled> list_attachments(resource_parts parts, route_call call) {
    ops::list_attachments request;
    request.organization = call.who.organization;
    request.room = call.room->room.id;
    if (const auto cursor = call.text("cursor")) {
        const auto position = decode_cursor(*cursor);
        if (!position) {
            co_return validation_problem("cursor", boundary_reason::malformed);
        }
        request.after = attachment_id{*position};
    }
    const auto limit = static_cast<std::size_t>(call.integer("limit").value_or(50));
    request.limit = limit + 1;
    const auto found = co_await parts.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    json_writer out;
    out.begin_object();
    out.key("attachments").begin_array();
    for (std::size_t i = 0; i < std::min(limit, found->size()); ++i) {
        write_attachment(out, (*found)[i]);
    }
    out.end_array();
    out.key("next_cursor");
    if (found->size() > limit) {
        out.string(encode_cursor((*found)[limit - 1].id.str()));
    } else {
        out.null();
    }
    out.end_object();
    co_return json_answer(200, out.take());
}

/// The attachment of the path, if the caller may read it, and its room.
struct readable_attachment {
    attachment info;
    room_context around;
};

awaitable<or_problem<readable_attachment>> find_readable(resource_parts parts, route_call call) {
    conversation_store* const store = &parts.kit->store();
    ops::get_attachment wanted{call.who.organization, attachment_id{call.at("attachment_id")}};
    auto found = co_await store->run(std::move(wanted));
    if (!found) {
        co_return problem_of(found.error());
    }
    auto around = co_await parts.kit->get_room(call.who.organization, found->attachment.room);
    if (!around) {
        co_return problem_of(around.error());
    }
    readable_attachment readable{found->attachment, *around};
    auto asking = may_read_attachment(store, call.who, *std::move(around), *std::move(found));
    const result<bool> may_read = co_await std::move(asking);
    if (!may_read) {
        co_return problem_of(may_read.error());
    }
    if (!*may_read) {
        co_return not_found_problem();
    }
    co_return readable;
}

/// Writes what lies between two bytes, chunk by chunk, and stops where one is gone: the other end sees that the rest
/// is missing by the length it was told.
awaitable<void> write_bytes(
    resource_parts parts,
    attachment_id id,
    std::int64_t first,
    std::int64_t last,
    http_body_sink* sink
) {
    constexpr auto whole = static_cast<std::int64_t>(attachment_chunk_bytes);
    for (std::int64_t at = first; at <= last;) {
        ops::read_attachment request{id, at / whole};
        auto chunk = co_await parts.kit->store().run(std::move(request));
        const auto from = static_cast<std::size_t>(at % whole);
        if (!chunk || chunk->size() <= from) {
            co_return;
        }
        const auto wanted = static_cast<std::size_t>(last - at + 1);
        std::string piece = from == 0 && chunk->size() <= wanted ? *std::move(chunk)
                                                                 : chunk->substr(from, wanted);
        at += static_cast<std::int64_t>(piece.size());
        const result<> sent = co_await sink->write(std::move(piece));
        if (!sent) {
            co_return;
        }
    }
}

void set_file_headers(http_headers* headers, const attachment& shown) {
    const bool is_inline = may_be_shown_inline(shown.media_type);
    headers->set("content-type", shown.media_type);
    headers->set(
        "content-disposition",
        content_disposition(is_inline ? "inline" : "attachment", shown.filename)
    );
    // Nothing in a file may act in our name, whatever a browser takes it for.
    headers->set("content-security-policy", "sandbox; default-src 'none'");
    headers->set("cross-origin-resource-policy", "same-site");
    headers->set("cache-control", "private, no-cache");
    headers->set("accept-ranges", "bytes");
    headers->set("etag", '"' + shown.sha256 + '"');
}

handled serve(resource_parts parts, const http_request& request, const attachment& shown) {
    const std::string tag = '"' + shown.sha256 + '"';
    http_response bare;
    set_file_headers(&bare.headers, shown);
    if (request.headers.find("if-none-match") == tag) {
        bare.status = 304;
        return bare;
    }
    const auto condition = request.headers.find("if-range");
    const bool is_same = !condition || *condition == tag;
    const byte_range range = is_same ? range_of(request.headers.find("range"), shown.size_bytes)
                                     : byte_range{};
    const std::string size = std::to_string(shown.size_bytes);
    if (range.what == byte_range::verdict::unsatisfiable) {
        problem what;
        what.status = 416;
        what.code = "RANGE_NOT_SATISFIABLE";
        what.detail = "the file has fewer bytes than the range begins with";
        return what;
    }
    http_stream answer;
    answer.headers = std::move(bare.headers);
    std::int64_t first = 0;
    std::int64_t last = shown.size_bytes - 1;
    if (range.what == byte_range::verdict::part) {
        first = range.first;
        last = range.last;
        answer.status = 206;
        answer.headers.set(
            "content-range",
            "bytes " + std::to_string(first) + '-' + std::to_string(last) + '/' + size
        );
    }
    answer.length = static_cast<std::uint64_t>(last - first + 1);
    answer.produce = [parts, id = shown.id, first, last](http_body_sink* sink) {
        return write_bytes(parts, id, first, last, sink);
    };
    return http_answer{std::move(answer)};
}

awaitable<handled> get_attachment(resource_parts parts, route_call call) {
    const auto found = co_await find_readable(parts, call);
    if (!found) {
        co_return found.error();
    }
    co_return serve(parts, call.request, found->info);
}

/// Whoever has a link: it says which attachment, until when, and that it is ours.
awaitable<handled> get_linked_attachment(resource_parts parts, route_call call) {
    ops::get_attachment wanted{std::nullopt, attachment_id{call.at("attachment_id")}};
    const auto found = co_await parts.kit->store().run(std::move(wanted));
    if (!found) {
        co_return problem_of(found.error());
    }
    const std::int64_t expires = call.integer("expires").value_or(0);
    if (!is_signature(found->attachment, expires, call.text("signature").value_or(""))) {
        co_return not_found_problem();
    }
    const wall_time now = parts.clock->now();
    if (now >= wall_time{seconds{expires}}) {
        problem what;
        what.status = 410;
        what.code = "LINK_EXPIRED";
        what.detail = "the link was good for a while only: ask for another one";
        co_return what;
    }
    co_return serve(parts, call.request, found->attachment);
}

// -- links and removal ----------------------------------------------------------------------------

schema link_request_schema() {
    return schema::input(
        "AttachmentLinkRequest",
        {optional("expires_in_seconds", schema::integer({1, longest_link}), "Left out: one hour")}
    );
}

schema link_schema() {
    return schema::object(
        "AttachmentLink",
        {required("url", schema::text(), "From the server's root; good for whoever has it"),
         required("expires_at", schema::time())}
    );
}

awaitable<handled> make_link(resource_parts parts, route_call call) {
    constexpr std::int64_t default_time = 3600;
    const auto found = co_await find_readable(parts, call);
    if (!found) {
        co_return found.error();
    }
    const std::int64_t span = call.body->integer("expires_in_seconds").value_or(default_time);
    const wall_time expires_at = parts.clock->now() + seconds{span};
    json_writer out;
    out.begin_object();
    out.key("url").string(signed_path(found->info, expires_at));
    write_time(out.key("expires_at"), expires_at);
    out.end_object();
    co_return json_answer(201, out.take());
}

awaitable<handled> delete_attachment(resource_parts parts, route_call call) {
    const auto found = co_await find_readable(parts, call);
    if (!found) {
        co_return found.error();
    }
    const bool is_own = found->info.uploaded_by == uploader_of(call.who);
    if (!is_own && !may_manage_room(call.who, found->around)) {
        co_return forbidden_problem("this needs its uploader, an owner of the room, or an operator"
        );
    }
    ops::remove_attachment request;
    request.organization = call.who.organization;
    request.id = found->info.id;
    request.audit = audit_of(call, "attachment.deleted", found->info.id.str());
    const auto gone = co_await parts.kit->store().run(std::move(request));
    if (!gone) {
        co_return problem_of(gone.error());
    }
    co_return *gone ? handled{no_content()} : handled{not_found_problem()};
}

route attachment_route(
    http_method method, std::string path, std::string operation, std::string summary
) {
    route made;
    made.method = method;
    made.pattern = "/api/v1/" + path;
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "attachments";
    return made;
}

std::vector<described_answer> file_answers() {
    return {
        {200, "The bytes", {}, any_media_type},
        {206, "Those of the range", {}, any_media_type},
        {304, "It is what `If-None-Match` says", {}},
    };
}

}  // namespace

std::vector<route> attachment_routes(resource_parts parts) {
    std::vector<route> routes;

    route uploading = attachment_route(
        http_method::post,
        "rooms/{room_id}/attachments",
        "upload_attachment",
        "Uploads a file, for messages of the room to name"
    );
    uploading.who = permission::room_member;
    uploading.parameters = {query_parameter(
        "filename", schema::text({1, 1024}), "Left out: what `Content-Disposition` says"
    )};
    uploading.answers = {
        {201, "The attachment", attachment_schema()},
        {200, "What this key uploaded before", attachment_schema()},
    };
    uploading.takes = body_kind::bytes;
    uploading.key = key_rule::honoured;
    uploading.handle = on(parts, upload);
    routes.push_back(std::move(uploading));

    route listing = attachment_route(
        http_method::get,
        "rooms/{room_id}/attachments",
        "list_attachments",
        "The room's attachments, for who manages it"
    );
    listing.who = permission::room_manager;
    listing.parameters = {
        query_parameter("limit", schema::integer({1, 200}), "Attachments in a page", "50"),
        query_parameter("cursor", schema::text({1, 1024}), "`next_cursor` of the page before"),
    };
    listing.answers = {{200, "By id", attachment_list_schema()}};
    listing.handle = on(parts, list_attachments);
    routes.push_back(std::move(listing));

    route getting = attachment_route(
        http_method::get, "attachments/{attachment_id}", "get_attachment", "The file"
    );
    getting.answers = file_answers();
    getting.handle = on(parts, get_attachment);
    routes.push_back(std::move(getting));

    route linked = attachment_route(
        http_method::get,
        "attachments/{attachment_id}/content",
        "get_linked_attachment",
        "The file, for whoever has a link"
    );
    linked.who = permission::anyone;
    parameter expires = query_parameter(
        "expires", schema::integer({0, latest_expiry}), "As in the link"
    );
    expires.need = presence::required;
    parameter signature = query_parameter("signature", schema::text({1, 128}), "As in the link");
    signature.need = presence::required;
    linked.parameters = {std::move(expires), std::move(signature)};
    linked.answers = file_answers();
    linked.handle = on(parts, get_linked_attachment);
    routes.push_back(std::move(linked));

    route linking = attachment_route(
        http_method::post,
        "attachments/{attachment_id}/link",
        "create_attachment_link",
        "Makes a link that is good for whoever has it, for a while"
    );
    linking.body = link_request_schema();
    linking.body_presence = presence::optional;
    linking.answers = {{201, "The link", link_schema()}};
    linking.handle = on(parts, make_link);
    routes.push_back(std::move(linking));

    route removing = attachment_route(
        http_method::delete_,
        "attachments/{attachment_id}",
        "delete_attachment",
        "Removes a file; messages that name it stay"
    );
    removing.answers = {{204, "It is gone", {}}};
    removing.handle = on(parts, delete_attachment);
    routes.push_back(std::move(removing));
    return routes;
}

}  // namespace convene
