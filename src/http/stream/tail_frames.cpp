// SPDX-License-Identifier: Apache-2.0
// Tail frames: the JSON of an event is made once for all who read it.
#include "http/stream/tail_frames.hpp"

#include "base/json_writer.hpp"
#include "http/stream/sse.hpp"
#include "http/view/event_view.hpp"

namespace convene {

namespace {

const std::string& rendered(const tail_event& event) {
    if (event.rendered.empty()) {
        event.rendered = event_as_json(event.event).str();
    }
    return event.rendered;
}

/// `event: NAME` and the data of one item.
struct sse_form {
    std::string_view name;
    std::string data;
};

struct write_sse {
    sse_form operator()(const std::shared_ptr<const tail_event>& one) const {
        return {"message", rendered(*one)};
    }

    sse_form operator()(const tail_hole& hole) const {
        json_writer out;
        out.begin_object().key("index").integer(hole.index.value()).end_object();
        return {"erased", out.take().str()};
    }

    sse_form operator()(const tail_erased& erased) const {
        json_writer out;
        out.begin_object().key("event_id").string(erased.event.str()).end_object();
        return {"erased", out.take().str()};
    }

    sse_form operator()(const tail_resync& resync) const {
        json_writer out;
        out.begin_object();
        out.key("from_index").integer(resync.from.value());
        out.key("reason").string(resync.reason);
        out.end_object();
        return {"resync", out.take().str()};
    }

    sse_form operator()(const tail_end& end) const {
        json_writer out;
        out.begin_object().key("reason").string(end.reason).end_object();
        return {"end", out.take().str()};
    }
};

/// The fields of one item, behind `type` and `topic`.
struct write_message {
    json_writer& out;
    const tail_position& at;

    void operator()(const std::shared_ptr<const tail_event>& one) const {
        out.key("id").string(at.text());
        out.key("event").json(json_text::trusted(rendered(*one)));
    }

    void operator()(const tail_hole& hole) const {
        out.key("id").string(at.text());
        out.key("index").integer(hole.index.value());
    }

    void operator()(const tail_erased& erased) const {
        out.key("id").string(at.text());
        out.key("event_id").string(erased.event.str());
    }

    void operator()(const tail_resync& resync) const {
        out.key("id").string(at.text());
        out.key("from_index").integer(resync.from.value());
        out.key("reason").string(resync.reason);
    }

    void operator()(const tail_end& end) const { out.key("reason").string(end.reason); }
};

std::string_view type_of(const tail_item& item) {
    static constexpr std::string_view types[] = {"event", "erased", "erased", "resync", "ended"};
    return types[item.index()];
}

}  // namespace

std::string sse_frames_of(const tail_page& page) {
    // What resyncs or erases stands where the page ends; events and holes have positions of their own.
    std::string frames;
    tail_position at{page.after.epoch, event_index::none()};
    for (const tail_item& item : page.items) {
        const bool has_index = item.index() < 2;
        at = has_index ? position_behind(item, at) : page.after;
        const sse_form form = std::visit(write_sse{}, item);
        frames += sse_frame(at.text(), form.name, form.data);
    }
    return frames;
}

std::string socket_message_of(
    const tail_item& item, std::string_view topic, const tail_position& at
) {
    json_writer out;
    out.begin_object();
    out.key("type").string(type_of(item));
    out.key("topic").string(topic);
    std::visit(write_message{out, at}, item);
    out.end_object();
    return out.take().str();
}

tail_position position_behind(const tail_item& item, const tail_position& before) {
    if (const auto* event = std::get_if<std::shared_ptr<const tail_event>>(&item)) {
        return {before.epoch, (*event)->event.index};
    }
    if (const auto* hole = std::get_if<tail_hole>(&item)) {
        return {before.epoch, hole->index};
    }
    return before;
}

}  // namespace convene
