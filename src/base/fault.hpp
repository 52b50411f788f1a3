// SPDX-License-Identifier: Apache-2.0
// Fault marks: places in production code where a simulation may let something go wrong.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace convene {

/// Decides whether a mark fires. *Thread safety*: one thread, which is all a simulation has.
class fault_injector {
   public:
    virtual ~fault_injector() = default;

    [[nodiscard]] virtual bool fires(std::string_view mark) noexcept = 0;
};

/// From now on marks ask `injector`; null (as at the start): none fires and none is counted.
/// *Requires*: no other thread runs code with marks.
void install_fault_injector(fault_injector* injector) noexcept;

struct fault_figures {
    std::string_view name;
    std::uint64_t reached = 0;  ///< while an injector was installed
    std::uint64_t fired = 0;
};

/// Every mark that is linked into this program, reached or not, by name.
[[nodiscard]] std::vector<fault_figures> list_fault_marks();

namespace detail {

/// The text of a mark as a template argument: one mark, one record.
template <std::size_t Size>
struct fault_name {
    consteval fault_name(const char (&literal)[Size]) { std::copy_n(literal, Size, text); }

    char text[Size];
};

/// Enters itself into the program's list before `main`, so that a mark never reached is known as well.
class fault_record {
   public:
    explicit fault_record(std::string_view name) noexcept;
    fault_record(const fault_record&) = delete;
    fault_record& operator=(const fault_record&) = delete;

    [[nodiscard]] bool ask(fault_injector& injector) noexcept;

   private:
    friend std::vector<fault_figures> convene::list_fault_marks();

    fault_figures figures_;
    fault_record* next_;
};

extern constinit fault_injector* installed_fault_injector;

template <fault_name Name>
struct fault_mark {
    static inline fault_record record{Name.text};

    [[nodiscard]] static bool fires() noexcept {
        fault_injector* const injector = installed_fault_injector;
        return injector != nullptr && record.ask(*injector);
    }
};

}  // namespace detail

}  // namespace convene

/// True when the simulation wants the failure that the surrounding code then acts out:
/// `if (CONVENE_FAULT("lane.finish_set_unanswered")) co_return errc::outcome_unknown;`
/// Outside of a simulation it is one load and never true. The name is a string literal.
#define CONVENE_FAULT(name) (::convene::detail::fault_mark<name>::fires())
