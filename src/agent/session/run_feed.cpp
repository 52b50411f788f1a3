// SPDX-License-Identifier: Apache-2.0
// Run feeds: a window of recent frames for all readers of a run, the store for what is older.
#include "agent/session/run_feed.hpp"

#include <algorithm>
#include <utility>

#include "store/operations/sessions.hpp"
#include "store/store.hpp"

namespace convene {

/// What all readers of a run share.
struct run_feeds::watched_run {
    organization_id organization;
    run_id id;
    std::size_t readers = 0;
    bool is_made_here = false;  ///< whoever makes it tells; then nobody has to look
    bool is_stale = true;       ///< somebody said that there is more than the window has
    bool is_loading = false;
    bool is_over = false;   ///< nothing is added any more
    std::int64_t next = 0;  ///< the number behind the window
    std::size_t bytes = 0;
    std::deque<run_frame> recent;
    wait_flag changed;

    [[nodiscard]] std::int64_t first() const noexcept {
        return next - static_cast<std::int64_t>(recent.size());
    }
};

run_feeds::run_feeds(executor& where, conversation_store& store, run_feed_settings with)
    : where_(where), store_(store), settings_(with) {}

run_feeds::~run_feeds() = default;

awaitable<result<std::unique_ptr<run_reader>>> run_feeds::open(
    organization_id organization, run_id run, std::int64_t after
) {
    ops::get_run known{organization, run};
    const auto record = co_await store_.run(std::move(known));
    if (!record) {
        co_return record.error();
    }
    std::shared_ptr<watched_run>& watched = runs_[run];
    if (watched == nullptr) {
        watched = std::make_shared<watched_run>();
        watched->organization = std::move(organization);
        watched->id = run;
        watched->next = record->next_frame;
    }
    ++watched->readers;
    ++readers_;
    co_return std::unique_ptr<run_reader>{new run_reader{this, watched, after}};
}

void run_feeds::unwatch(const std::shared_ptr<watched_run>& run) noexcept {
    --readers_;
    if (--run->readers == 0) {
        runs_.erase(run->id);
    }
}

void run_feeds::stored(const agent_run_record& run, const std::vector<run_frame>& frames) {
    const auto found = runs_.find(run.id);
    if (found == runs_.end()) {
        return;
    }
    watched_run& watched = *found->second;
    watched.is_made_here = run.status == run_status::running;
    add(watched, frames);
    watched.is_over = watched.is_over || run.is_stream_over;
    watched.changed.notify_all();
}

/// Only what joins on to the window: a gap is read from the store.
void run_feeds::add(watched_run& run, const std::vector<run_frame>& frames) const {
    for (const run_frame& frame : frames) {
        if (frame.number > run.next) {
            run.recent.clear();
            run.bytes = 0;
            run.next = frame.number;
        }
        if (frame.number == run.next) {
            run.bytes += frame.data.size();
            run.recent.push_back(frame);
            ++run.next;
        }
    }
    while (run.bytes > settings_.recent_bytes && !run.recent.empty()) {
        run.bytes -= run.recent.front().data.size();
        run.recent.pop_front();
    }
}

void run_feeds::look_at(const run_id& run) noexcept {
    const auto found = runs_.find(run);
    if (found != runs_.end()) {
        found->second->is_stale = true;
        found->second->changed.notify_all();
    }
}

void run_feeds::look_at_all() noexcept {
    for (auto& [id, run] : runs_) {
        run->is_stale = true;
        run->changed.notify_all();
    }
}

/// Once for all who wait for the same.
awaitable<result<>> run_feeds::load(std::shared_ptr<watched_run> run) {
    run->is_stale = false;
    run->is_loading = true;
    ops::list_frames request{run->organization, run->id, run->next - 1, settings_.page_frames};
    auto found = co_await store_.run(std::move(request));
    run->is_loading = false;
    run->changed.notify_all();
    if (!found) {
        run->is_stale = true;
        co_return found.error();
    }
    add(*run, found->frames);
    const bool is_all = run->next >= found->run.next_frame;
    run->is_stale = run->is_stale || !is_all;
    run->is_over = found->run.is_stream_over && is_all;
    co_return result<>{};
}

// ---- one reader ------------------------------------------------------------------------------------------

run_reader::run_reader(
    run_feeds* feeds, std::shared_ptr<run_feeds::watched_run> run, std::int64_t after
)
    : feeds_(*feeds), run_(std::move(run)), position_(after) {}

run_reader::~run_reader() { feeds_.unwatch(run_); }

awaitable<result<run_page>> run_reader::next(deadline until) {
    run_page page;
    for (;;) {
        if (position_ + 1 < run_->first()) {
            const result<> read = co_await take_stored(&page);
            if (!read) {
                co_return read.error();
            }
            if (!page.frames.empty()) {
                co_return page;
            }
        }
        if (take_recent(&page)) {
            co_return page;
        }
        if (run_->is_over) {
            page.is_whole = true;
            co_return page;
        }
        if (run_->is_stale && !run_->is_loading) {
            const result<> loaded = co_await feeds_.load(run_);
            if (!loaded) {
                co_return loaded.error();
            }
            continue;
        }
        // Where another worker makes it and the news of it is lost, the clock is what is left.
        const deadline poll{feeds_.where_.now() + feeds_.settings_.poll_interval};
        const deadline wake_up = run_->is_made_here ? until : until.sooner(poll);
        auto waiting = until_set(&run_->changed);
        const result<> waited = co_await with_deadline(wake_up, std::move(waiting));
        if (!waited && waited.error() != errc::timed_out) {
            co_return waited.error();
        }
        if (!waited && !run_->is_made_here) {
            run_->is_stale = true;
        }
        if (until.has_passed(feeds_.where_.now())) {
            co_return page;
        }
    }
}

/// From the window that all readers share.
bool run_reader::take_recent(run_page* page) {
    const std::int64_t first = run_->first();
    for (std::int64_t number = position_ + 1;
         number < run_->next && page->frames.size() < feeds_.settings_.page_frames;
         ++number) {
        page->frames.push_back(run_->recent[static_cast<std::size_t>(number - first)]);
    }
    if (page->frames.empty()) {
        return false;
    }
    position_ = page->frames.back().number;
    page->is_whole = run_->is_over && position_ + 1 == run_->next;
    return true;
}

/// What is older than the window.
awaitable<result<>> run_reader::take_stored(run_page* page) {
    ops::list_frames request{run_->organization, run_->id, position_, feeds_.settings_.page_frames};
    auto found = co_await feeds_.store_.run(std::move(request));
    if (!found) {
        co_return found.error();
    }
    page->frames = std::move(found->frames);
    if (page->frames.empty()) {
        // Gone for good: it goes on with what there is.
        page->has_missed = true;
        position_ = std::max(position_, run_->first() - 1);
        co_return result<>{};
    }
    page->has_missed = page->frames.front().number != position_ + 1;
    position_ = page->frames.back().number;
    page->is_whole = found->run.is_stream_over && position_ + 1 >= found->run.next_frame;
    co_return result<>{};
}

}  // namespace convene
