// SPDX-License-Identifier: Apache-2.0
// Session figures: this worker's from their owners, those of the deployment from the store.
#include "app/server/session_figures.hpp"

#include "convene/wait.hpp"

#include <chrono>
#include <string>
#include <string_view>

#include "store/operations/sessions.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

/// A scrape is not held up for longer.
constexpr std::chrono::seconds patience{2};

constexpr run_status ends[] = {
    run_status::finished, run_status::failed, run_status::cancelled, run_status::interrupted
};

class family_writer {
   public:
    explicit family_writer(metrics_text* out) : out_(*out) {}

    void gauge(std::string_view name, std::string_view help, double value) {
        out_.family(name, "gauge", help);
        out_.sample(name, {}, value);
    }

    void total(std::string_view name, std::string_view help, std::uint64_t value) {
        out_.family(name, "counter", help);
        out_.sample(name, {}, static_cast<double>(value));
    }

    void summary(std::string_view name, std::string_view help, const duration_tally& tally) {
        const std::chrono::duration<double> sum = tally.sum;
        const std::string family{name};
        out_.family(name, "summary", help);
        out_.sample(family + "_sum", {}, sum.count());
        out_.sample(family + "_count", {}, static_cast<double>(tally.count));
    }

    void ended(const session_service::tally& counted) {
        constexpr std::string_view name = "convene_runs_ended_total";
        out_.family(name, "counter", "Runs that ended here, by what became of them.");
        for (const run_status end : ends) {
            const auto found = counted.ended.find(end);
            const std::uint64_t count = found == counted.ended.end() ? 0 : found->second;
            out_.sample(name, {{"outcome", std::string{word_of(end)}}}, static_cast<double>(count));
        }
    }

   private:
    metrics_text& out_;
};

void write_own(family_writer& out, const session_figure_sources& from) {
    const session_service::tally& counted = from.sessions->counted();
    out.gauge(
        "convene_runs_driven",
        "Runs that this worker drives.",
        static_cast<double>(from.sessions->driving())
    );
    out.total("convene_runs_started_total", "Runs begun here.", counted.started);
    out.ended(counted);
    out.total("convene_runs_refused_total", "The session was being driven.", counted.refused);
    out.total("convene_runs_fenced_total", "Runs that another worker got.", counted.fenced);
    out.summary("convene_run_seconds", "How long runs were driven here.", counted.run_time);
    out.summary(
        "convene_run_first_frame_seconds",
        "From the queueing of a turn to the first stored frame of its run.",
        counted.until_first_frame
    );
    out.total("convene_turns_taken_over_total", "Left by others.", counted.takeovers);
    out.total("convene_turns_handed_over_total", "Given back at a stop.", counted.handed_over);
    out.total("convene_turns_set_aside_total", "Quarantined by this worker.", counted.quarantined);

    const run_log::tally& stored = from.streams->counted();
    out.total("convene_run_frames_total", "Frames stored.", stored.frames);
    out.total("convene_run_frame_bytes_total", "Their bytes.", stored.bytes);
    out.total("convene_run_flushes_total", "Transactions that stored them.", stored.flushes);
    out.gauge(
        "convene_run_readers",
        "Readers that follow a run.",
        static_cast<double>(from.feeds->readers())
    );
    const room_kit::retention_figures gone = from.kit->retention();
    out.total("convene_run_streams_removed_total", "Old streams.", gone.streams);
    out.total("convene_runs_removed_total", "Old runs, with their turns.", gone.runs);
}

}  // namespace

awaitable<void> write_session_figures(metrics_text* out, session_figure_sources from) {
    family_writer families{out};
    write_own(families, from);
    const coroutine_context context = co_await this_context();
    const deadline until{context.where->now() + patience};
    ops::count_turns request;
    const auto turns = co_await with_deadline(until, from.kit->store().run(std::move(request)));
    if (!turns) {
        co_return;
    }
    const auto gauge = [&families](
                           std::string_view name, std::string_view help, std::int64_t count
                       ) { families.gauge(name, help, static_cast<double>(count)); };
    gauge("convene_turns_queued", "Of the whole deployment: waiting.", turns->queued);
    gauge("convene_turns_running", "Of the whole deployment: being run.", turns->running);
    gauge(
        "convene_turns_quarantined",
        "Of the whole deployment: an operator has to look.",
        turns->quarantined
    );
}

}  // namespace convene
