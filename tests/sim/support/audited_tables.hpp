// SPDX-License-Identifier: Apache-2.0
// Tables that show every operation, with its answer, to the auditors.
#pragma once

#include "sim/support/auditor.hpp"
#include "sim/support/session_auditor.hpp"
#include "store/tables.hpp"

namespace convene {

/// Hands each operation on and tells the auditors what came of it. *Lifetime*: all outlive it.
class audited_tables final : public tables {
   public:
    audited_tables(tables& data, sim_auditor& auditor, sim_session_auditor& sessions)
        : data_(data), auditor_(auditor), sessions_(sessions) {}

#define CONVENE_AUDITED(op)                                                        \
    [[nodiscard]] result<ops::op::answer> apply(const ops::op& request) override { \
        auto answer = data_.apply(request);                                        \
        if (answer) {                                                              \
            auditor_.applied(request, *answer);                                    \
            sessions_.applied(request, *answer);                                   \
        }                                                                          \
        return answer;                                                             \
    }
    CONVENE_STORE_OPERATIONS(CONVENE_AUDITED)
#undef CONVENE_AUDITED

   private:
    tables& data_;
    sim_auditor& auditor_;
    sim_session_auditor& sessions_;
};

}  // namespace convene
