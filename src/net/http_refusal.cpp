// SPDX-License-Identifier: Apache-2.0
// The statuses and titles of refusals.
#include "net/http_refusal.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/json_writer.hpp"

namespace convene {

http_refusal_text text_of(http_refusal reason) noexcept {
    switch (reason) {
        case http_refusal::malformed_request:
            return {400, "malformed_request", "The request is not HTTP"};
        case http_refusal::bad_line_ending:
            return {400, "bad_line_ending", "A line does not end with CR LF"};
        case http_refusal::folded_header:
            return {400, "folded_header", "A header line is folded"};
        case http_refusal::control_character:
            return {400, "control_character", "The head contains a control character"};
        case http_refusal::bad_target:
            return {400, "bad_target", "The request target is not a path"};
        case http_refusal::bad_host:
            return {400, "bad_host", "There must be exactly one well-formed Host"};
        case http_refusal::bad_message_length:
            return {400, "bad_message_length", "The length of the message is not unambiguous"};
        case http_refusal::bad_chunk:
            return {400, "bad_chunk", "The chunked body is malformed"};
        case http_refusal::bad_trailer:
            return {400, "bad_trailer", "A trailer field is not allowed there"};
        case http_refusal::unknown_transfer_coding:
            return {501, "unknown_transfer_coding", "Only the chunked transfer coding is known"};
        case http_refusal::unknown_method:
            return {501, "unknown_method", "The method is not known"};
        case http_refusal::unknown_expectation:
            return {417, "unknown_expectation", "The expectation is not known"};
        case http_refusal::http_2:
            return {505, "http_2", "HTTP/2 is not spoken here"};
        case http_refusal::unknown_version:
            return {505, "unknown_version", "Only HTTP/1.0 and HTTP/1.1 are spoken here"};
        case http_refusal::target_too_long:
            return {414, "target_too_long", "The request target is too long"};
        case http_refusal::head_too_large:
            return {431, "head_too_large", "The head is too large"};
        case http_refusal::too_many_headers:
            return {431, "too_many_headers", "There are too many header lines"};
        case http_refusal::body_too_large:
            return {413, "payload_too_large", "The body is too large"};
        case http_refusal::head_too_slow:
            return {408, "head_too_slow", "The head did not arrive in time"};
        case http_refusal::body_too_slow:
            return {408, "body_too_slow", "The body did not arrive in time"};
        case http_refusal::too_many_connections:
            return {503, "too_many_connections", "There are too many connections"};
        case http_refusal::handler_failed:
            return {500, "handler_failed", "The request could not be answered"};
        case http_refusal::upgrade_required:
            return {426, "upgrade_required", "This is a WebSocket of version 13"};
        case http_refusal::bad_upgrade:
            return {400, "bad_upgrade", "The WebSocket handshake is malformed"};
        case http_refusal::too_many_large_bodies:
            return {503, "too_many_large_bodies", "Too many large bodies are being sent"};
    }
    return {500, "unknown", "The request could not be answered"};
}

std::string_view phrase_of(int status) noexcept {
    switch (status) {
        case 200:
            return "OK";
        case 201:
            return "Created";
        case 202:
            return "Accepted";
        case 204:
            return "No Content";
        case 206:
            return "Partial Content";
        case 301:
            return "Moved Permanently";
        case 302:
            return "Found";
        case 303:
            return "See Other";
        case 304:
            return "Not Modified";
        case 307:
            return "Temporary Redirect";
        case 308:
            return "Permanent Redirect";
        case 400:
            return "Bad Request";
        case 401:
            return "Unauthorized";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 406:
            return "Not Acceptable";
        case 408:
            return "Request Timeout";
        case 409:
            return "Conflict";
        case 410:
            return "Gone";
        case 412:
            return "Precondition Failed";
        case 413:
            return "Content Too Large";
        case 414:
            return "URI Too Long";
        case 415:
            return "Unsupported Media Type";
        case 416:
            return "Range Not Satisfiable";
        case 417:
            return "Expectation Failed";
        case 422:
            return "Unprocessable Content";
        case 426:
            return "Upgrade Required";
        case 428:
            return "Precondition Required";
        case 429:
            return "Too Many Requests";
        case 431:
            return "Request Header Fields Too Large";
        case 500:
            return "Internal Server Error";
        case 501:
            return "Not Implemented";
        case 502:
            return "Bad Gateway";
        case 503:
            return "Service Unavailable";
        case 504:
            return "Gateway Timeout";
        case 505:
            return "HTTP Version Not Supported";
        default:
            return "";
    }
}

namespace {

/// As all codes of the API are written.
std::string code_of(std::string_view word) {
    std::string code{word};
    std::ranges::transform(code, code.begin(), [](char c) {
        return 'a' <= c && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return code;
}

}  // namespace

std::string problem_of(http_refusal reason) {
    const http_refusal_text text = text_of(reason);
    json_writer out;
    out.begin_object();
    out.key("type").string("about:blank");
    out.key("title").string(text.title);
    out.key("status").integer(text.status);
    out.key("code").string(code_of(text.word));
    out.end_object();
    return std::string{out.written()};
}

}  // namespace convene
