// SPDX-License-Identifier: Apache-2.0
// The memory store under test.
#pragma once

#include "convene/memory_store.hpp"

#include <memory>

#include "store/store_harness.hpp"

namespace convene {

class memory_harness final : public store_harness {
   public:
    [[nodiscard]] conversation_store& store() override { return *store_; }

    void restart() override {}

   private:
    std::unique_ptr<conversation_store> store_ = make_memory_store(clock());
};

}  // namespace convene
