// SPDX-License-Identifier: Apache-2.0
// Signatures at the beginning of files.
#include "base/media_kind.hpp"

#include <algorithm>
#include <array>

#include "base/value_forms.hpp"

namespace convene {

namespace {

using namespace std::string_view_literals;

struct signature {
    std::size_t at;
    std::string_view bytes;
    std::string_view media_type;
};

/// The first that matches counts.
constexpr std::array signatures{
    signature{0, "\x89PNG\r\n\x1A\n"sv, "image/png"},
    signature{0, "\xFF\xD8\xFF"sv, "image/jpeg"},
    signature{0, "GIF87a"sv, "image/gif"},
    signature{0, "GIF89a"sv, "image/gif"},
    signature{8, "WEBPVP8"sv, "image/webp"},
    signature{4, "ftypavif"sv, "image/avif"},
    signature{4, "ftypM4A"sv, "audio/mp4"},
    signature{4, "ftypisom"sv, "video/mp4"},
    signature{4, "ftypmp4"sv, "video/mp4"},
    signature{4, "ftypMSNV"sv, "video/mp4"},
    signature{4, "ftypavc1"sv, "video/mp4"},
    signature{4, "ftypqt  "sv, "video/quicktime"},
    signature{0, "\x1A\x45\xDF\xA3"sv, "video/webm"},
    signature{0, "OggS\0"sv, "audio/ogg"},
    signature{8, "WAVEfmt "sv, "audio/wav"},
    signature{0, "fLaC\0"sv, "audio/flac"},
    signature{0, "ID3"sv, "audio/mpeg"},
    signature{0, "\xFF\xFB"sv, "audio/mpeg"},
    signature{0, "%PDF-"sv, "application/pdf"},
    signature{0, "PK\x03\x04"sv, "application/zip"},
};

/// Containers that hold either: what the sender says of them is believed.
constexpr std::array containers{
    std::pair{"audio/ogg"sv, "video/ogg"sv},
    std::pair{"video/webm"sv, "audio/webm"sv},
    std::pair{"video/mp4"sv, "audio/mp4"sv},
};

constexpr std::array shown_inline{
    "image/png"sv,
    "image/jpeg"sv,
    "image/gif"sv,
    "image/webp"sv,
    "image/avif"sv,
    "audio/mp4"sv,
    "audio/ogg"sv,
    "audio/wav"sv,
    "audio/flac"sv,
    "audio/mpeg"sv,
    "audio/webm"sv,
    "video/mp4"sv,
    "video/webm"sv,
    "video/ogg"sv,
};

/// `Image/PNG; x=y` is `image/png`.
std::string plain(std::string_view media_type) {
    std::string text{media_type.substr(0, media_type.find(';'))};
    std::erase(text, ' ');
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

/// Office documents and the like are ZIP files inside.
bool is_kind_of_zip(std::string_view media_type) {
    return media_type.starts_with("application/vnd.") || media_type == "application/epub+zip" ||
           media_type == "application/java-archive";
}

/// Kinds that are recognised by their bytes, so that a claim to be one can be held against them.
bool is_told_by_bytes(std::string_view media_type) {
    return media_type == "application/zip" || media_type == "application/pdf" ||
           may_be_shown_inline(media_type);
}

}  // namespace

std::string_view sniffed_media_type(std::string_view bytes) {
    const auto found = std::ranges::find_if(signatures, [bytes](const signature& known) {
        return bytes.size() > known.at && bytes.substr(known.at).starts_with(known.bytes);
    });
    return found == signatures.end() ? std::string_view{} : found->media_type;
}

std::string settled_media_type(std::string_view declared, std::string_view bytes) {
    const std::string said = is_media_type(declared) ? plain(declared)
                                                     : std::string{"application/octet-stream"};
    const std::string_view seen = sniffed_media_type(bytes);
    if (seen.empty()) {
        return is_told_by_bytes(said) ? "application/octet-stream" : said;
    }
    const bool is_other_half = std::ranges::any_of(containers, [&](const auto& both) {
        return both.first == seen && both.second == said;
    });
    if (is_other_half || (seen == "application/zip" && is_kind_of_zip(said))) {
        return said;
    }
    return std::string{seen};
}

bool may_be_shown_inline(std::string_view media_type) {
    return std::ranges::find(shown_inline, media_type) != shown_inline.end();
}

}  // namespace convene
