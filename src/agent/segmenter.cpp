// SPDX-License-Identifier: Apache-2.0
// The segmenter: one pass over what has gathered finds the last good places to cut.
#include "agent/segmenter.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.hpp"

namespace convene {

namespace {

/// The last places of each kind, as lengths of what comes before them; 0: none.
struct places {
    std::size_t paragraph = 0;
    std::size_t sentence = 0;
    std::size_t line = 0;  ///< also inside a fenced block
    std::size_t word = 0;
};

bool is_fence(std::string_view line) noexcept {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    line.remove_prefix(indent);
    return indent <= 3 && (line.starts_with("```") || line.starts_with("~~~"));
}

bool is_blank(std::string_view line) noexcept {
    return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

/// Ends of sentences in scripts that put no space behind them.
constexpr std::array<std::string_view, 3> wide_stops{"。", "！", "？"};

/// Where sentences and words of one line end. A dot needs a space behind it: `3.5` goes on.
void scan_line(std::string_view line, std::size_t start, places& found) {
    for (std::size_t at = 0; at < line.size(); ++at) {
        const char c = line[at];
        if (c == ' ') {
            found.word = start + at + 1;
            const bool ends = at > 0 &&
                              (line[at - 1] == '.' || line[at - 1] == '!' || line[at - 1] == '?');
            found.sentence = ends ? start + at + 1 : found.sentence;
        }
        for (const std::string_view stop : wide_stops) {
            if (line.substr(at).starts_with(stop)) {
                found.sentence = start + at + stop.size();
            }
        }
    }
}

places scan(std::string_view text, bool is_in_fence) {
    places found;
    std::size_t start = 0;
    while (start < text.size()) {
        const std::size_t newline = text.find('\n', start);
        const bool is_whole = newline != std::string_view::npos;
        const std::size_t end = is_whole ? newline + 1 : text.size();
        const std::string_view line = text.substr(start, end - start);
        const bool toggles = is_fence(line);
        if (!is_in_fence && !toggles) {
            scan_line(line, start, found);
        }
        is_in_fence = toggles ? !is_in_fence : is_in_fence;
        if (is_whole) {
            found.line = end;
            if (!is_in_fence) {
                found.sentence = end;
                found.paragraph = is_blank(line) || toggles ? end : found.paragraph;
            }
        }
        start = end;
    }
    return found;
}

/// Whether a fenced block goes on behind a text that ends there.
bool ends_in_fence(std::string_view text, bool is_in_fence) {
    std::size_t start = 0;
    while (start < text.size()) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        is_in_fence = is_fence(text.substr(start, end - start)) ? !is_in_fence : is_in_fence;
        start = end + 1;
    }
    return is_in_fence;
}

std::string_view without_blank_lines(std::string_view text) {
    while (!text.empty()) {
        const std::size_t newline = text.find('\n');
        if (newline == std::string_view::npos || !is_blank(text.substr(0, newline))) {
            break;
        }
        text.remove_prefix(newline + 1);
    }
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

}  // namespace

void segmenter::add(std::string_view text, monotonic_time now) {
    if (pending_.empty()) {
        since_ = now;
    }
    pending_ += text;
}

std::optional<std::string> segmenter::next(monotonic_time now) {
    while (true) {
        const std::size_t cut = find_cut(now - since_ >= limits_.patience);
        if (cut == 0) {
            return std::nullopt;
        }
        std::string segment = take(cut, now);
        if (!segment.empty()) {
            return segment;
        }
    }
}

std::optional<monotonic_time> segmenter::late_at() const {
    return find_cut(true) > 0 ? std::optional{since_ + limits_.patience} : std::nullopt;
}

std::optional<std::string> segmenter::finish() {
    std::string rest{without_blank_lines(pending_)};
    pending_.clear();
    is_in_fence_ = false;
    if (rest.empty()) {
        return std::nullopt;
    }
    return rest;
}

/// How much of what has gathered is a segment; 0: none yet.
std::size_t segmenter::find_cut(bool is_late) const {
    if (pending_.size() > limits_.most_bytes) {
        const std::string_view most = utf8_prefix(pending_, limits_.most_bytes);
        const places found = scan(most, is_in_fence_);
        // A place far at the front would leave crumbs.
        const std::size_t least = most.size() / 4;
        for (const std::size_t place : {found.paragraph, found.sentence, found.line, found.word}) {
            if (place >= least) {
                return place;
            }
        }
        return most.size();
    }
    if (pending_.size() < limits_.least_bytes && !is_late) {
        return 0;
    }
    const places found = scan(pending_, is_in_fence_);
    if (found.paragraph >= limits_.least_bytes) {
        return found.paragraph;
    }
    if (is_late || pending_.size() >= limits_.enough_bytes) {
        return found.sentence;
    }
    return 0;
}

std::string segmenter::take(std::size_t bytes, monotonic_time now) {
    const std::string_view cut = std::string_view{pending_}.substr(0, bytes);
    std::string segment{without_blank_lines(cut)};
    is_in_fence_ = ends_in_fence(cut, is_in_fence_);
    pending_.erase(0, bytes);
    since_ = now;
    return segment;
}

}  // namespace convene
