// SPDX-License-Identifier: Apache-2.0
// Fault marks: the list of all marks, and the injector they ask.
#include "base/fault.hpp"

namespace convene {

namespace {

// Constant-initialised, so that records may enter it in any order before `main`.
constinit detail::fault_record* first_record = nullptr;

}  // namespace

constinit fault_injector* detail::installed_fault_injector = nullptr;

void install_fault_injector(fault_injector* injector) noexcept {
    detail::installed_fault_injector = injector;
}

detail::fault_record::fault_record(std::string_view name) noexcept
    : figures_{.name = name}, next_(first_record) {
    first_record = this;
}

bool detail::fault_record::ask(fault_injector& injector) noexcept {
    ++figures_.reached;
    const bool fires = injector.fires(figures_.name);
    figures_.fired += fires ? 1 : 0;
    return fires;
}

std::vector<fault_figures> list_fault_marks() {
    std::vector<fault_figures> marks;
    for (const detail::fault_record* record = first_record; record != nullptr;
         record = record->next_) {
        marks.push_back(record->figures_);
    }
    std::ranges::sort(marks, {}, &fault_figures::name);
    return marks;
}

}  // namespace convene
