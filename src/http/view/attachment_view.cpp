// SPDX-License-Identifier: Apache-2.0
// Showing attachments.
#include "http/view/attachment_view.hpp"

#include "http/view/words.hpp"

namespace convene {

const schema& attachment_schema() {
    static const schema made = schema::object(
        "Attachment",
        {required("id", schema::id()),
         required("room_id", schema::id()),
         required("url", schema::text(), "`attachment:ID`: how a message names it"),
         required("filename", schema::text()),
         required("mime_type", schema::text(), "What the bytes are"),
         required("size_bytes", schema::integer({0})),
         required("sha256", schema::text(), "Of the bytes, in hexadecimal"),
         required("uploaded_by", schema::text(), "`user:ID` or `token:ID`"),
         required("created_at", schema::time())}
    );
    return made;
}

void write_attachment(json_writer& out, const attachment& shown) {
    out.begin_object();
    out.key("id").string(shown.id.str());
    out.key("room_id").string(shown.room.str());
    out.key("url").string("attachment:" + shown.id.str());
    out.key("filename").string(shown.filename);
    out.key("mime_type").string(shown.media_type);
    out.key("size_bytes").integer(shown.size_bytes);
    out.key("sha256").string(shown.sha256);
    out.key("uploaded_by").string(shown.uploaded_by);
    write_time(out.key("created_at"), shown.created_at);
    out.end_object();
}

json_text attachment_as_json(const attachment& shown) {
    json_writer out;
    write_attachment(out, shown);
    return out.take();
}

}  // namespace convene
