// SPDX-License-Identifier: Apache-2.0
// Places with the time of the last word; whoever falls silent loses its own.
#include "lease/waiting_line.hpp"

#include <algorithm>
#include <iterator>

namespace convene {

namespace {

/// Of four words not one was heard: it has gone, or has the lock.
constexpr std::chrono::milliseconds silence_is_absence = 4 * waiting_line::between_words;

/// However long the line is, nobody lets others go first for longer than this many words.
constexpr std::ptrdiff_t longest_courtesy = 3;

}  // namespace

bool waiting_line::place::is_taken(monotonic_time now) const noexcept {
    return now - said_at < silence_is_absence;
}

void waiting_line::enter(std::int64_t key, waiter who, monotonic_time now) {
    if (now >= next_forgetting_) {
        forget_silent(now);
        next_forgetting_ = now + silence_is_absence;
    }
    line& standing = lines_[key];
    const auto own = std::ranges::find_if(standing, [who](const place& one) {
        return one.who.session == who.session;
    });
    if (own == standing.end()) {
        standing.push_back({who, now});
        return;
    }
    // It has waited since before its last word: a word that comes late does not make it younger.
    const bool still_waits = who.since <= own->said_at;
    own->who.since = still_waits ? std::min(own->who.since, who.since) : who.since;
    own->said_at = now;
}

void waiting_line::leave(std::int64_t key, int session) noexcept {
    const auto found = lines_.find(key);
    if (found == lines_.end()) {
        return;
    }
    std::erase_if(found->second, [session](const place& one) {
        return one.who.session == session;
    });
    if (found->second.empty()) {
        lines_.erase(found);
    }
}

std::ptrdiff_t waiting_line::ahead_of(std::int64_t key, waiter who, monotonic_time now) const {
    return std::ranges::count_if(line_for(key), [=](const place& one) {
        const bool is_other = one.who.session != who.session;
        return is_other && one.who.since < who.since && one.is_taken(now);
    });
}

std::chrono::milliseconds waiting_line::courtesy(std::int64_t key, waiter who, monotonic_time now)
    const {
    return std::min(ahead_of(key, who, now), longest_courtesy) * between_words;
}

std::optional<monotonic_time> waiting_line::place_of(
    std::int64_t key, int session, monotonic_time now
) const {
    for (const place& one : line_for(key)) {
        if (one.who.session == session && one.is_taken(now)) {
            return one.who.since;
        }
    }
    return std::nullopt;
}

bool waiting_line::is_wanted_by_others(std::int64_t key, int session, monotonic_time now) const {
    return std::ranges::any_of(line_for(key), [=](const place& one) {
        return one.who.session != session && one.is_taken(now);
    });
}

const waiting_line::line& waiting_line::line_for(std::int64_t key) const {
    static const line nobody;
    const auto found = lines_.find(key);
    return found == lines_.end() ? nobody : found->second;
}

void waiting_line::forget_silent(monotonic_time now) {
    for (auto one = lines_.begin(); one != lines_.end();) {
        std::erase_if(one->second, [now](const place& standing) {
            return !standing.is_taken(now);
        });
        one = one->second.empty() ? lines_.erase(one) : std::next(one);
    }
}

}  // namespace convene
