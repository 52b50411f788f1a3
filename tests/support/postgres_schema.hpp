// SPDX-License-Identifier: Apache-2.0
// A place of its own for each test in the tests' PostgreSQL server.
#pragma once

#include <memory>
#include <string>

#include "store/postgres/session.hpp"

namespace convene {

/// The address of the tests' server: in the file that `CONVENE_TEST_POSTGRES` names, which the tests of ctest that
/// need it are given. *Throws* where there is none.
[[nodiscard]] std::string address_of_test_postgres();

/// An empty schema, removed with all that is in it.
class postgres_schema {
   public:
    postgres_schema();
    ~postgres_schema();

    postgres_schema(const postgres_schema&) = delete;
    postgres_schema& operator=(const postgres_schema&) = delete;

    /// Sessions of this address see this schema and no other.
    [[nodiscard]] std::string address() const;

    /// A session of the test's own, in this schema.
    [[nodiscard]] std::unique_ptr<postgres::session> connect() const;

   private:
    std::string name_;
    std::unique_ptr<postgres::session> server_;
};

}  // namespace convene
