// SPDX-License-Identifier: Apache-2.0
// Fault marks: silent without an injector, counted with one, and known even if nothing reaches them.
#include "base/fault.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace convene {
namespace {

class always final : public fault_injector {
   public:
    bool fires(std::string_view mark) noexcept override {
        last_asked = mark;
        return true;
    }

    std::string_view last_asked;
};

/// Installs an injector for the time of a test.
class installed {
   public:
    explicit installed(fault_injector& injector) { install_fault_injector(&injector); }

    installed(const installed&) = delete;
    installed& operator=(const installed&) = delete;

    ~installed() { install_fault_injector(nullptr); }
};

bool reach_first() { return CONVENE_FAULT("test.first"); }

bool never_called() { return CONVENE_FAULT("test.never_reached"); }

fault_figures figures_of(std::string_view name) {
    const auto marks = list_fault_marks();
    const auto found = std::ranges::find(marks, name, &fault_figures::name);
    return found == marks.end() ? fault_figures{} : *found;
}

// In production no injector is installed: a mark never fires, and nothing is counted.
TEST(FaultMark, NeverFiresWithoutAnInjector) {
    const auto before = figures_of("test.first").reached;
    EXPECT_FALSE(reach_first());
    EXPECT_EQ(figures_of("test.first").reached, before);
}

// The injector is asked by name, and its answer is what the code sees.
TEST(FaultMark, AsksTheInjectorByName) {
    always injector;
    const installed guard(injector);
    const auto before = figures_of("test.first");
    EXPECT_TRUE(reach_first());
    EXPECT_EQ(injector.last_asked, "test.first");
    EXPECT_EQ(figures_of("test.first").reached, before.reached + 1);
    EXPECT_EQ(figures_of("test.first").fired, before.fired + 1);
}

// A mark that no run reaches is a promise that no test keeps: it is listed with a count of zero.
TEST(FaultMark, IsListedBeforeItIsReached) {
    static_cast<void>(&never_called);
    EXPECT_EQ(figures_of("test.never_reached").name, "test.never_reached");
    EXPECT_EQ(figures_of("test.never_reached").reached, 0U);
}

}  // namespace
}  // namespace convene
