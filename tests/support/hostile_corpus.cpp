// SPDX-License-Identifier: Apache-2.0
// The hostile corpus. A document that once got through, or in the way, is added here.
#include "support/hostile_corpus.hpp"

#include <cstddef>

namespace convene {

namespace {

using namespace std::string_literals;

using corpus = std::vector<hostile_document>;

constexpr std::string_view accepted = "accepted";

std::string repeated(std::string_view piece, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) {
        text += piece;
    }
    return text;
}

/// `{"a":[[...]]}`: `depth` containers in all.
std::string nested_in_object(std::size_t depth) {
    return R"({"a":)" + repeated("[", depth - 1) + repeated("]", depth - 1) + "}";
}

/// An object with `count` different keys.
std::string object_with_keys(std::size_t count) {
    std::string text = "{";
    for (std::size_t i = 0; i < count; ++i) {
        text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":0";
    }
    return text + "}";
}

/// Text content inside `depth` composites.
std::string nested_composite(std::size_t depth) {
    return repeated(R"({"type":"composite","parts":[)", depth) + R"({"type":"text","body":"x"})" +
           repeated("]}", depth);
}

std::string text_content(std::string_view body) {
    return R"({"type":"text","body":")" + std::string{body} + R"("})";
}

std::string composite_of(std::string_view part) {
    return R"({"type":"composite","parts":[)" + std::string{part} + "]}";
}

std::string media_at(std::string_view url) {
    return R"({"type":"media","mime_type":"image/png","url":")" + std::string{url} + R"("})";
}

void add_texts(corpus& all) {
    constexpr auto kind = hostile_kind::text;
    constexpr std::size_t limit = 256UL * 1024;
    const auto good = [&](std::string_view name, std::string bytes) {
        all.push_back({name, kind, std::move(bytes), "", accepted});
    };
    const auto bad = [&](std::string_view name, std::string bytes, std::string_view reason) {
        all.push_back({name, kind, std::move(bytes), "body", reason});
    };
    good("text_plain", "hello");
    good("text_empty", "");
    good("text_japanese", "会議は３時からです");
    good("text_emoji_family", "👨‍👩‍👧‍👦");
    good("text_right_to_left_override", "\u202Egnp.exe\u202C");
    good("text_line_breaks_and_tabs", "one\r\n\ttwo\n");
    good("text_escape_sequence", "\x1B[31mred");
    good("text_noncharacter", "\xEF\xBF\xBE");
    good("text_looks_like_sql", "'; DROP TABLE events; --");
    good("text_at_the_limit", std::string(limit, 'x'));
    bad("text_nul", "a\0b"s, "nul_character");
    bad("text_utf16", "h\0i\0"s, "nul_character");
    bad("text_lone_continuation", "a\x80", "invalid_utf8");
    bad("text_latin1", "caf\xE9", "invalid_utf8");
    bad("text_cut_emoji", "\xF0\x9F\x98", "invalid_utf8");
    bad("text_overlong_slash", "\xC0\xAF", "invalid_utf8");
    bad("text_overlong_nul", "\xC0\x80", "invalid_utf8");
    bad("text_overlong_three_bytes", "\xE0\x80\xAF", "invalid_utf8");
    bad("text_above_unicode", "\xF4\x90\x80\x80", "invalid_utf8");
    bad("text_utf16_byte_order_mark", "\xFF\xFE", "invalid_utf8");
    bad("text_encoded_surrogate", "\xED\xA0\x80", "lone_surrogate");
    bad("text_cesu8_pair", "\xED\xA0\xBD\xED\xB8\x80", "lone_surrogate");
    bad("text_over_the_limit", std::string(limit + 1, 'x'), "too_long");
}

void add_ids(corpus& all) {
    constexpr auto kind = hostile_kind::id;
    const auto good = [&](std::string_view name, std::string bytes) {
        all.push_back({name, kind, std::move(bytes), "", accepted});
    };
    const auto bad = [&](std::string_view name, std::string bytes, std::string_view reason) {
        all.push_back({name, kind, std::move(bytes), "id", reason});
    };
    good("id_uuid", "01890a5d-ac96-774b-bcce-b302099a8057");
    good("id_phone_number", "+81 3 1234 5678");
    good("id_japanese", "部屋１");
    good("id_at_the_limit", std::string(256, 'x'));
    bad("id_empty", "", "empty");
    bad("id_line_feed", "room\n1", "control_character");
    bad("id_delete", "room\x7F", "control_character");
    bad("id_c1_control", "room\u0085", "control_character");
    bad("id_nul", "room\0"s, "nul_character");
    bad("id_invalid_utf8", "room\xFF", "invalid_utf8");
    bad("id_over_the_limit", std::string(257, 'x'), "too_long");
}

void add_json_grammar(corpus& all) {
    constexpr auto kind = hostile_kind::json;
    const auto good = [&](std::string_view name, std::string bytes) {
        all.push_back({name, kind, std::move(bytes), "", accepted});
    };
    const auto bad = [&](std::string_view name, std::string bytes, std::string field) {
        all.push_back({name, kind, std::move(bytes), std::move(field), "not_json"});
    };
    good("json_empty_object", "{}");
    good("json_whitespace_everywhere", " \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : null } ");
    good("json_prototype_key", R"({"__proto__":{"admin":true},"constructor":1})");
    good("json_empty_key", R"({"":1})");
    bad("json_nothing", "", "metadata");
    bad("json_only_spaces", "   ", "metadata");
    bad("json_trailing_garbage", R"({"a":1}x)", "metadata");
    bad("json_two_documents", R"({"a":1}{"b":2})", "metadata");
    bad("json_trailing_nul", "{\"a\":1}\0"s, "metadata");
    bad("json_byte_order_mark", "\xEF\xBB\xBF{}", "metadata");
    bad("json_comma_before_brace", R"({"a":1,})", "metadata");
    bad("json_comma_before_bracket", R"({"a":[1,]})", "metadata.a[1]");
    bad("json_missing_comma", R"({"a":1 "b":2})", "metadata");
    bad("json_missing_colon", R"({"a" 1})", "metadata");
    bad("json_missing_value", R"({"a":})", "metadata.a");
    bad("json_mismatched_brackets", R"({"a":[1})", "metadata.a");
    bad("json_unterminated_object", R"({"a":1)", "metadata");
    bad("json_unterminated_string", R"({"a":"x)", "metadata.a");
    bad("json_single_quotes", "{'a':1}", "metadata");
    bad("json_bare_key", "{a:1}", "metadata");
    bad("json_comment", "{/* hi */}", "metadata");
    bad("json_cut_literal", R"({"a":tru})", "metadata.a");
    bad("json_capital_literal", R"({"a":True})", "metadata.a");
    bad("json_line_feed_in_string", "{\"a\":\"x\ny\"}", "metadata.a");
    bad("json_unknown_escape", R"({"a":"\x41"})", "metadata.a");
    bad("json_short_unicode_escape", R"({"a":"\u12"})", "metadata.a");
    bad("json_signed_unicode_escape", R"({"a":"\u-123"})", "metadata.a");
    bad("json_nan", R"({"a":NaN})", "metadata.a");
    bad("json_infinity", R"({"a":-Infinity})", "metadata.a");
    bad("json_hexadecimal", R"({"a":0x10})", "metadata");
    bad("json_leading_zero", R"({"a":01})", "metadata");
    bad("json_plus_sign", R"({"a":+1})", "metadata.a");
    bad("json_lone_minus", R"({"a":-})", "metadata.a");
    bad("json_point_without_digits", R"({"a":1.})", "metadata.a");
    bad("json_point_first", R"({"a":.5})", "metadata.a");
    bad("json_exponent_without_digits", R"({"a":1e+})", "metadata.a");
}

void add_json_rules(corpus& all) {
    constexpr auto kind = hostile_kind::json;
    const auto good = [&](std::string_view name, std::string bytes) {
        all.push_back({name, kind, std::move(bytes), "", accepted});
    };
    const auto bad =
        [&](std::string_view name, std::string bytes, std::string field, std::string_view reason) {
            all.push_back({name, kind, std::move(bytes), std::move(field), reason});
        };
    bad("json_array_for_object", "[]", "metadata", "wrong_type");
    bad("json_string_for_object", R"("{}")", "metadata", "wrong_type");
    bad("json_null_for_object", "null", "metadata", "wrong_type");

    good("json_big_integer", R"({"a":123456789012345678901234567890})");
    good("json_smallest_double", R"({"a":4.9e-324})");
    bad("json_overflow", R"({"a":1e400})", "metadata.a", "out_of_range");
    bad("json_underflow", R"({"a":[0,-1e-400]})", "metadata.a[1]", "out_of_range");
    bad("json_endless_integer",
        "{\"a\":" + std::string(400, '9') + "}",
        "metadata.a",
        "out_of_range");
    bad("json_zero_with_exponent", R"({"a":0e309})", "metadata.a", "out_of_range");
    bad("json_endless_exponent",
        "{\"a\":0e" + std::string(100, '9') + "}",
        "metadata.a",
        "out_of_range");

    bad("json_duplicate_key", R"({"a":1,"b":2,"a":3})", "metadata.a", "duplicate_key");
    bad("json_duplicate_by_escape", R"({"a":1,"\u0061":2})", "metadata.a", "duplicate_key");
    bad("json_nested_duplicate", R"({"x":[{},{"k":1,"k":1}]})", "metadata.x[1].k", "duplicate_key");
    good("json_same_key_elsewhere", R"({"a":{"a":1},"b":{"a":[{"a":2}]}})");

    good("json_surrogate_pair", R"({"a":"\ud83d\ude00"})");
    bad("json_high_surrogate", R"({"a":"\ud800"})", "metadata.a", "lone_surrogate");
    bad("json_low_surrogate", R"({"a":"\udc00"})", "metadata.a", "lone_surrogate");
    bad("json_reversed_pair", R"({"a":"\ude00\ud83d"})", "metadata.a", "lone_surrogate");
    bad("json_surrogate_before_letter", R"({"a":"\ud83dA"})", "metadata.a", "lone_surrogate");
    bad("json_surrogate_in_key", R"({"a":{"\ud800":1}})", "metadata.a", "lone_surrogate");
    bad("json_encoded_surrogate", "{\"a\":\"\xED\xBF\xBF\"}", "metadata.a", "lone_surrogate");
    bad("json_escaped_nul", R"({"a":{"b":["x","\u0000"]}})", "metadata.a.b[1]", "nul_character");
    bad("json_raw_nul", "{\"a\":\"\0\"}"s, "metadata.a", "nul_character");
    bad("json_nul_in_key", R"({"a":1,"b\u0000":2})", "metadata", "nul_character");
    bad("json_invalid_utf8", "{\"a\":\"caf\xE9\"}", "metadata.a", "invalid_utf8");
    bad("json_invalid_utf8_in_key", "{\"\xFF\":1}", "metadata", "invalid_utf8");

    good("json_at_the_depth_limit", nested_in_object(32));
    bad("json_over_the_depth_limit",
        nested_in_object(33),
        "metadata.a" + repeated("[0]", 31),
        "too_deep");
    bad("json_depth_bomb", std::string(1'000'000, '['), "metadata" + repeated("[0]", 32), "too_deep"
    );
    good("json_at_the_key_limit", object_with_keys(1024));
    bad("json_over_the_key_limit", object_with_keys(1025), "metadata", "too_many");
    bad("json_too_many_values",
        "{\"a\":[" + repeated("0,", 100'000) + "0]}",
        "metadata.a[99998]",
        "too_many");
    bad("json_over_the_size_limit", "{}" + std::string(1024UL * 1024, ' '), "metadata", "too_long");
    bad("json_odd_key_in_path", R"({"a b\n":1e400})", R"(metadata["a b\n"])", "out_of_range");
}

void add_content_forms(corpus& all) {
    constexpr auto kind = hostile_kind::content;
    const auto good = [&](std::string_view name, std::string bytes) {
        all.push_back({name, kind, std::move(bytes), "", accepted});
    };
    const auto bad =
        [&](std::string_view name, std::string bytes, std::string field, std::string_view reason) {
            all.push_back({name, kind, std::move(bytes), std::move(field), reason});
        };
    good("content_text", R"({"type":"text","body":"hi","language":"pt-BR"})");
    good("content_null_for_absent", R"({"type":"text","body":"hi","language":null})");
    good("content_type_last", R"({"body":"hi","type":"text"})");
    bad("content_array", "[]", "content", "wrong_type");
    bad("content_without_type", R"({"body":"hi"})", "content.type", "missing_field");
    bad("content_number_as_type", R"({"type":7,"body":"hi"})", "content.type", "wrong_type");
    bad("content_unknown_type", R"({"type":"poll","body":"hi"})", "content.type", "unknown_value");
    bad("content_type_in_capitals", R"({"type":"TEXT","body":"x"})", "content.type", "unknown_value"
    );
    bad("content_without_body", R"({"type":"text"})", "content.body", "missing_field");
    bad("content_null_body", R"({"type":"text","body":null})", "content.body", "wrong_type");
    bad("content_number_as_body", R"({"type":"text","body":5})", "content.body", "wrong_type");
    bad("content_unknown_field",
        R"({"type":"text","body":"hi","bodyy":1})",
        "content.bodyy",
        "unknown_field");
    bad("content_field_of_another_type",
        R"({"type":"text","body":"hi","delete_type":"admin"})",
        "content.delete_type",
        "unknown_field");
    bad("content_surrogate_in_body", text_content(R"(\ud83d)"), "content.body", "lone_surrogate");
    bad("content_nul_in_body", text_content(R"(a\u0000)"), "content.body", "nul_character");
    bad("content_body_over_the_limit",
        text_content(std::string(256UL * 1024 + 1, 'x')),
        "content.body",
        "too_long");
    bad("content_language_is_a_sentence",
        R"({"type":"text","body":"x","language":"in English"})",
        "content.language",
        "malformed");
    bad("content_rich_unknown_format",
        R"({"type":"rich","body":"x","format":"rtf"})",
        "content.format",
        "unknown_value");
    bad("content_rich_button_is_text",
        R"({"type":"rich","body":"x","format":"html","buttons":[{},"no"]})",
        "content.buttons[1]",
        "wrong_type");

    good("content_media_data_url", media_at("data:image/png;base64,iVBORw0KGgo="));
    good("content_media_capital_scheme", media_at("HTTPS://example.org/a.png"));
    bad("content_media_ftp", media_at("ftp://example.org/a"), "content.url", "unsupported_url");
    bad("content_media_script", media_at("javascript:alert(1)"), "content.url", "unsupported_url");
    bad("content_media_file", media_at("file:///etc/passwd"), "content.url", "unsupported_url");
    bad("content_media_space_before", media_at(" https://a.org"), "content.url", "unsupported_url");
    bad("content_media_no_host", media_at("https:///a.png"), "content.url", "unsupported_url");
    bad("content_media_line_break",
        media_at(R"(https://a.org/\r\nX: 1)"),
        "content.url",
        "unsupported_url");
    bad("content_media_long_url",
        media_at("https://a.org/" + std::string(8192, 'x')),
        "content.url",
        "too_long");
    bad("content_media_type_with_line_break",
        R"({"type":"media","url":"https://a.org","mime_type":"a/b\r\nX: 1"})",
        "content.mime_type",
        "malformed");
    bad("content_media_negative_size",
        R"({"type":"media","url":"https://a.org","mime_type":"a/b","size_bytes":-1})",
        "content.size_bytes",
        "out_of_range");
    bad("content_media_fractional_size",
        R"({"type":"media","url":"https://a.org","mime_type":"a/b","size_bytes":1.5})",
        "content.size_bytes",
        "wrong_type");
    bad("content_media_huge_size",
        R"({"type":"media","url":"https://a.org","mime_type":"a/b","size_bytes":18446744073709551615})",
        "content.size_bytes",
        "out_of_range");

    good("content_location_at_the_pole", R"({"type":"location","latitude":-90,"longitude":180.0})");
    bad("content_latitude_91",
        R"({"type":"location","latitude":91,"longitude":0})",
        "content.latitude",
        "out_of_range");
    bad("content_longitude_181",
        R"({"type":"location","latitude":0,"longitude":-180.01})",
        "content.longitude",
        "out_of_range");
    bad("content_latitude_as_text",
        R"({"type":"location","latitude":"1","longitude":0})",
        "content.latitude",
        "wrong_type");
    bad("content_audio_negative_duration",
        R"({"type":"audio","url":"https://a.org","mime_type":"audio/ogg","duration_seconds":-0.5})",
        "content.duration_seconds",
        "out_of_range");
    bad("content_video_script_thumbnail",
        R"({"type":"video","url":"https://a.org","mime_type":"video/mp4","thumbnail_url":"vbscript:x"})",
        "content.thumbnail_url",
        "unsupported_url");
    bad("content_template_number_parameter",
        R"({"type":"template","template_id":"t","parameters":{"name":1}})",
        "content.parameters.name",
        "wrong_type");
}

void add_content_rights(corpus& all) {
    constexpr auto kind = hostile_kind::content;
    const auto good = [&](std::string_view name, std::string bytes) {
        all.push_back({name, kind, std::move(bytes), "", accepted});
    };
    const auto bad =
        [&](std::string_view name, std::string bytes, std::string field, std::string_view reason) {
            all.push_back({name, kind, std::move(bytes), std::move(field), reason});
        };
    good("content_composite_at_the_limit", nested_composite(5));
    bad("content_composite_over_the_limit",
        nested_composite(6),
        "content" + repeated(".parts[0]", 5) + ".parts",
        "too_deep");
    bad("content_composite_empty", composite_of(""), "content.parts", "empty");
    bad("content_composite_of_101",
        composite_of(
            repeated(R"({"type":"text","body":"x"},)", 100) + R"({"type":"text","body":"x"})"
        ),
        "content.parts",
        "too_many");
    bad("content_composite_faulty_part",
        composite_of(R"({"type":"text","body":"x"},{"type":"text"})"),
        "content.parts[1].body",
        "missing_field");
    bad("content_composite_hides_system",
        composite_of(R"({"type":"system","body":"x"})"),
        "content.parts[0].type",
        "not_allowed_here");
    bad("content_composite_hides_delete",
        composite_of(R"({"type":"delete","target_event_id":"e","delete_type":"admin"})"),
        "content.parts[0].type",
        "not_allowed_here");
    bad("content_composite_hides_tool_call",
        composite_of(
            R"({"type":"tool_call","tool_name":"t","tool_id":"1","arguments":{},"status":"completed"})"
        ),
        "content.parts[0].type",
        "not_allowed_here");
    bad("content_system_data_array",
        R"({"type":"system","body":"x","data":[]})",
        "content.data",
        "wrong_type");

    good(
        "content_edit",
        R"({"type":"edit","target_event_id":"e","new_content":{"type":"text","body":"x"}})"
    );
    bad("content_edit_without_target",
        R"({"type":"edit","new_content":{"type":"text","body":"x"}})",
        "content.target_event_id",
        "missing_field");
    bad("content_edit_target_with_line_feed",
        R"({"type":"edit","target_event_id":"a\nb","new_content":{"type":"text","body":"x"}})",
        "content.target_event_id",
        "control_character");
    bad("content_edit_source_admin",
        R"({"type":"edit","target_event_id":"e","new_content":{"type":"text","body":"x"},"edit_source":"admin"})",
        "content.edit_source",
        "unknown_value");
    bad("content_edit_of_edit",
        R"({"type":"edit","target_event_id":"e","new_content":{"type":"edit","target_event_id":"f","new_content":{"type":"text","body":"x"}}})",
        "content.new_content.type",
        "not_allowed_here");
    bad("content_edit_into_system",
        R"({"type":"edit","target_event_id":"e","new_content":{"type":"system","body":"x"}})",
        "content.new_content.type",
        "not_allowed_here");
    bad("content_delete_type_owner",
        R"({"type":"delete","target_event_id":"e","delete_type":"owner"})",
        "content.delete_type",
        "unknown_value");
    bad("content_delete_type_in_capitals",
        R"({"type":"delete","target_event_id":"e","delete_type":"ADMIN"})",
        "content.delete_type",
        "unknown_value");
    bad("content_delete_without_type",
        R"({"type":"delete","target_event_id":"e"})",
        "content.delete_type",
        "missing_field");

    good(
        "content_tool_call_any_result",
        R"({"type":"tool_call","tool_name":"t","tool_id":"1","arguments":{},"result":[null,1.50],"status":"completed","duration_ms":12,"structured_content":"x"})"
    );
    bad("content_tool_call_unknown_status",
        R"({"type":"tool_call","tool_name":"t","tool_id":"1","arguments":{},"status":"done"})",
        "content.status",
        "unknown_value");
    bad("content_tool_call_arguments_array",
        R"({"type":"tool_call","tool_name":"t","tool_id":"1","arguments":[],"status":"pending"})",
        "content.arguments",
        "wrong_type");
    bad("content_tool_call_surrogate_in_result",
        R"({"type":"tool_call","tool_name":"t","tool_id":"1","arguments":{},"status":"completed","result":{"out":["\udfff"]}})",
        "content.result.out[0]",
        "lone_surrogate");
}

}  // namespace

std::string_view root_field(hostile_kind kind) {
    switch (kind) {
        case hostile_kind::text:
            return "body";
        case hostile_kind::id:
            return "id";
        case hostile_kind::json:
            return "metadata";
        case hostile_kind::content:
            return "content";
    }
    return {};
}

const std::vector<hostile_document>& hostile_corpus() {
    static const corpus documents = [] {
        corpus all;
        add_texts(all);
        add_ids(all);
        add_json_grammar(all);
        add_json_rules(all);
        add_content_forms(all);
        add_content_rights(all);
        return all;
    }();
    return documents;
}

}  // namespace convene
