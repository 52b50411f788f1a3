// SPDX-License-Identifier: Apache-2.0
// The twelve content types as schemas; a test holds them against `parse_content`.
#include "http/content_schema.hpp"

#include <utility>

namespace convene {

namespace {

schema variant(std::string name, std::string type, std::vector<schema_field> fields) {
    fields.insert(fields.begin(), required("type", schema::word("", {std::move(type)})));
    return schema::object(std::move(name), std::move(fields));
}

schema count() { return schema::integer({0, (std::int64_t{1} << 53U) - 1}); }

schema duration() { return schema::number(0, 1e308); }

schema make_content_schema() {
    const schema text = schema::text();
    const schema id = schema::id();
    const schema object = schema::any_object();
    return schema::one_of(
        "Content",
        "type",
        {
            variant(
                "TextContent",
                "text",
                {required("body", text), optional("language", text, "BCP 47: `pt-BR`")}
            ),
            variant(
                "RichContent",
                "rich",
                {required("body", text),
                 required("format", schema::word("RichFormat", {"html", "markdown"})),
                 optional("plain_text", text),
                 optional("buttons", schema::list(object, 100)),
                 optional("cards", schema::list(object, 100)),
                 optional("quick_replies", schema::list(text, 100))}
            ),
            variant(
                "MediaContent",
                "media",
                {required("url", text, "http, https or data"),
                 required("mime_type", text),
                 optional("filename", text),
                 optional("size_bytes", count()),
                 optional("caption", text)}
            ),
            variant(
                "LocationContent",
                "location",
                {required("latitude", schema::number(-90, 90)),
                 required("longitude", schema::number(-180, 180)),
                 optional("label", text),
                 optional("address", text)}
            ),
            variant(
                "AudioContent",
                "audio",
                {required("url", text),
                 required("mime_type", text),
                 optional("duration_seconds", duration()),
                 optional("transcript", text)}
            ),
            variant(
                "VideoContent",
                "video",
                {required("url", text),
                 required("mime_type", text),
                 optional("duration_seconds", duration()),
                 optional("thumbnail_url", text)}
            ),
            variant(
                "CompositeContent",
                "composite",
                {required("parts", schema::list(schema::content(), 100), "At least one message")}
            ),
            variant(
                "SystemContent",
                "system",
                {required("body", text), optional("code", text), optional("data", object)}
            ),
            variant(
                "TemplateContent",
                "template",
                {required("template_id", id),
                 optional("language", text),
                 optional("parameters", object, "Texts by placeholder"),
                 optional("body", text)}
            ),
            variant(
                "EditContent",
                "edit",
                {required("target_event_id", id),
                 required("new_content", schema::content()),
                 optional("edit_source", schema::word("EditSource", {"sender", "system"}))}
            ),
            variant(
                "DeleteContent",
                "delete",
                {required("target_event_id", id),
                 required("delete_type", schema::word("DeleteType", {"sender", "system", "admin"})),
                 optional("reason", text)}
            ),
            variant(
                "ToolCallContent",
                "tool_call",
                {required("tool_name", text),
                 required("tool_id", text),
                 required("arguments", object),
                 required(
                     "status", schema::word("ToolCallStatus", {"pending", "completed", "failed"})
                 ),
                 optional("result", schema::any()),
                 optional("duration_ms", count()),
                 optional("error", text),
                 optional("structured_content", schema::any())}
            ),
        }
    );
}

schema make_problem_schema() {
    const schema text = schema::text();
    const schema fault = schema::object(
        "FieldError",
        {required("field", text, "A path: `content.parts[2].body`"),
         required("reason", text, "A stable word: `missing_field`")}
    );
    return schema::object(
        "Problem",
        {required("type", text),
         required("title", text),
         required("status", schema::integer({400, 599})),
         required("code", text, "Stable, in capitals: `ROOM_CLOSED`"),
         required("detail", text),
         required("instance", text),
         required("request_id", text),
         required("retryable", schema::boolean(), "The same request may succeed later"),
         optional("retry_after", schema::integer({0, 86'400}), "Seconds"),
         optional("errors", schema::list(fault))}
    );
}

}  // namespace

const schema& content_schema() {
    static const schema made = make_content_schema();
    return made;
}

const schema& problem_schema() {
    static const schema made = make_problem_schema();
    return made;
}

}  // namespace convene
