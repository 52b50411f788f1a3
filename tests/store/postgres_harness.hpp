// SPDX-License-Identifier: Apache-2.0
// The PostgreSQL store under test: a schema of its own in the tests' server, gone after the test.
#pragma once

#include "convene/postgres_store.hpp"

#include <memory>

#include "store/store_harness.hpp"
#include "support/postgres_schema.hpp"

namespace convene {

class postgres_harness : public store_harness {
   public:
    enum class steps { alone, together };

    explicit postgres_harness(steps written = steps::alone) : steps_(written) { open(); }

    ~postgres_harness() override { where().run_until_done(store_->close()); }

    [[nodiscard]] conversation_store& store() override { return *store_; }

    void restart() override {
        where().run_until_done(store_->close());
        open();
    }

   protected:
    [[nodiscard]] const postgres_schema& schema() const noexcept { return schema_; }

   private:
    void open() {
        postgres_options options;
        options.address = schema_.address();
        options.sessions = 2;
        options.clock = &clock();
        options.where = steps_ == steps::together ? &where() : nullptr;
        store_ = open_postgres_store(options).value();
    }

    const steps steps_;
    postgres_schema schema_;
    std::unique_ptr<conversation_store> store_;
};

}  // namespace convene
