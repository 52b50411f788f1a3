// SPDX-License-Identifier: Apache-2.0
// Translates character by character, outside quoted text.
#include "postgres/statement_text.hpp"

#include <algorithm>
#include <charconv>

namespace convene::postgres {

statement_text::statement_text(std::string_view sql) {
    constexpr std::string_view hint = "INDEXED BY ";
    constexpr std::string_view join = "CROSS JOIN ";
    bool is_quoted = false;
    for (std::size_t i = 0; i < sql.size(); ++i) {
        const char c = sql[i];
        is_quoted = is_quoted != (c == '\'');
        if (is_quoted) {
            text += c;
        } else if (c == '?') {
            int number = 0;
            std::from_chars(sql.data() + i + 1, sql.data() + sql.size(), number);
            parameters = std::max(parameters, number);
            text += '$';
        } else if (sql.substr(i).starts_with(hint)) {
            i = std::min(sql.find(' ', i + hint.size()), sql.size());
        } else if (sql.substr(i).starts_with(join)) {
            text += "JOIN ";
            i += join.size() - 1;
        } else {
            text += c;
        }
    }
}

}  // namespace convene::postgres
