// SPDX-License-Identifier: Apache-2.0
// Finds the tests' server and makes schemas in it.
#include "support/postgres_schema.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <unistd.h>

namespace convene {

std::string address_of_test_postgres() {
    const char* const file = std::getenv("CONVENE_TEST_POSTGRES");
    std::ifstream stored{file == nullptr ? "" : file};
    std::string address{std::istreambuf_iterator<char>{stored}, {}};
    if (address.empty()) {
        throw std::runtime_error{
            "no PostgreSQL for the tests: run them with ctest, or tests/support/postgres_server.py "
            "start FILE and set CONVENE_TEST_POSTGRES=FILE"
        };
    }
    return address;
}

postgres_schema::postgres_schema() {
    static int made = 0;
    name_ = "test_" + std::to_string(::getpid()) + '_' + std::to_string(++made);
    server_ = postgres::session::open({.address = address_of_test_postgres()}).value();
    server_->run_script("CREATE SCHEMA " + name_);
}

postgres_schema::~postgres_schema() {
    server_->forget_failure();
    server_->run_script("DROP SCHEMA " + name_ + " CASCADE");
}

std::unique_ptr<postgres::session> postgres_schema::connect() const {
    return postgres::session::open({.address = address()}).value();
}

std::string postgres_schema::address() const {
    return address_of_test_postgres() + " options=-csearch_path=" + name_;
}

}  // namespace convene
