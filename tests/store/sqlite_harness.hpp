// SPDX-License-Identifier: Apache-2.0
// The SQLite store under test: a file of its own that is gone after the test.
#pragma once

#include "convene/sqlite_store.hpp"

#include <filesystem>
#include <memory>

#include "store/store_harness.hpp"
#include "support/temporary_folder.hpp"

namespace convene {

class sqlite_harness final : public store_harness {
   public:
    sqlite_harness() { open(); }

    ~sqlite_harness() override { where().run_until_done(store_->close()); }

    [[nodiscard]] conversation_store& store() override { return *store_; }

    void restart() override {
        where().run_until_done(store_->close());
        open();
    }

   private:
    void open() {
        sqlite_options options;
        options.path = folder_.path() / "rooms.db";
        store_ = open_sqlite_store(where(), clock(), options, incarnation_id{}).value();
    }

    temporary_folder folder_;
    std::unique_ptr<conversation_store> store_;
};

}  // namespace convene
