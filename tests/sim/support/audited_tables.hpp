// SPDX-License-Identifier: Apache-2.0
// Tables that show every operation, with its answer, to an auditor.
#pragma once

#include "sim/support/auditor.hpp"
#include "store/tables.hpp"

namespace convene {

/// Hands each operation on and tells the auditor what came of it. *Lifetime*: both outlive it.
class audited_tables final : public tables {
   public:
    audited_tables(tables& data, sim_auditor& auditor) : data_(data), auditor_(auditor) {}

#define CONVENE_AUDITED(op)                                                        \
    [[nodiscard]] result<ops::op::answer> apply(const ops::op& request) override { \
        auto answer = data_.apply(request);                                        \
        if (answer)                                                                \
            auditor_.applied(request, *answer);                                    \
        return answer;                                                             \
    }
    CONVENE_STORE_OPERATIONS(CONVENE_AUDITED)
#undef CONVENE_AUDITED

   private:
    tables& data_;
    sim_auditor& auditor_;
};

}  // namespace convene
