// SPDX-License-Identifier: Apache-2.0
// Appends statements and counts their parameters.
#include "postgres/request.hpp"

namespace convene::postgres {

void request::append(const request& other) {
    statements_.insert(statements_.end(), other.statements_.begin(), other.statements_.end());
    end_group();
}

void request::end_group() {
    if (!statements_.empty()) {
        statements_.back().ends_group = true;
    }
}

request::statement& request::append_statement(std::string_view sql) {
    return statements_.emplace_back(sql, statement_text{sql}.parameters);
}

}  // namespace convene::postgres
