// SPDX-License-Identifier: Apache-2.0
// What an import came to: counts, what was refused, and a line of progress on a terminal.
#pragma once

#include "convene/boundary.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/console.hpp"

namespace convene {

struct import_counts {
    std::int64_t rooms_created = 0;
    std::int64_t rooms_known = 0;  ///< they were there before
    std::int64_t events_added = 0;
    std::int64_t events_known = 0;  ///< they were stored before: nothing was sent
    std::int64_t refused = 0;       ///< lines that are at fault themselves
    std::int64_t failed = 0;        ///< lines that are good and could not be stored
};

/// A line that was not taken.
struct import_problem {
    enum class fault { of_the_line, of_the_database };

    fault whose = fault::of_the_line;
    std::int64_t line = 0;
    std::string field;   ///< empty: the whole line
    std::string reason;  ///< a stable word
    std::string text;    ///< what it means
};

/// *Thread safety*: loop only. *Lifetime*: the console outlives it.
class import_report {
   public:
    explicit import_report(console* terminal) : terminal_(*terminal) {}

    import_counts counts;

    /// Shows a problem at once, and keeps the first ones for the summary.
    void add(import_problem problem);
    void refuse(std::int64_t line, const boundary_error& error);

    // -- progress, on a terminal only --------------------------------------------------------------

    [[nodiscard]] bool shows_progress() const noexcept { return terminal_.err.is_terminal(); }

    /// `share` of the input was read, if its size is known.
    void show_progress(std::optional<double> share, std::chrono::nanoseconds since_start);
    void clear_progress();

    // -- the end -----------------------------------------------------------------------------------

    void print_summary(std::chrono::nanoseconds took);
    void print_json(std::chrono::nanoseconds took);

   private:
    void print_untaken(std::int64_t lines, std::string_view what);

    console& terminal_;
    std::vector<import_problem> kept_;
    bool has_progress_ = false;
};

}  // namespace convene
