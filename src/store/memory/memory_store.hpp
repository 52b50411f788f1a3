// SPDX-License-Identifier: Apache-2.0
// The memory store: the conversation store port in front of `memory_tables`.
#pragma once

#include "convene/time.hpp"

#include "store/memory/memory_tables.hpp"
#include "store/store.hpp"

namespace convene {

/// *Thread safety*, *Lifetime*: as `conversation_store`; the clock outlives it.
class memory_store final : public conversation_store {
   public:
    explicit memory_store(const wall_clock& clock) : tables_(clock) {}

    [[nodiscard]] awaitable<void> close() override;

    [[nodiscard]] std::string name() const override { return "MemoryStore"; }

    [[nodiscard]] bool is_shared_between_processes() const noexcept override { return false; }

   protected:
    [[nodiscard]] awaitable<result<>> execute(std::shared_ptr<operation> request) override;

   private:
    memory_tables tables_;
    bool is_closed_ = false;
};

}  // namespace convene
