// SPDX-License-Identifier: Apache-2.0
// Tests of array literals: whatever a text holds, it stays one text.
#include "postgres/arrays.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace convene::postgres {

namespace {

TEST(ArrayText, IsEmptyBracesWithoutItems) { EXPECT_EQ(array_text{}.text(), "{}"); }

// Quotes, backslashes, commas, braces and the word NULL are text like any other.
TEST(ArrayText, QuotesEveryText) {
    array_text list;
    list.add("a");
    list.add("");
    list.add("NULL");
    list.add("a,b}");
    list.add("say \"so\"\\");
    EXPECT_EQ(list.text(), R"({"a","","NULL","a,b}","say \"so\"\\"})");
}

TEST(ArrayText, WritesNumbersAndNulls) {
    array_text list;
    list.add_number(std::int64_t{-7});
    list.add_null();
    list.add_number(0.5);
    EXPECT_EQ(list.text(), "{-7,NULL,0.5}");
}

// Rows become one array for each column, with the type that its values have.
TEST(ColumnArrays, TurnsRowsIntoColumns) {
    column_arrays columns{3};
    columns.add(std::string{"x"}, std::int64_t{1}, std::optional<std::string>{});
    columns.add(std::string{"y"}, std::int64_t{2}, std::optional<std::string>{"z"});
    EXPECT_EQ(columns.text_of(0), R"({"x","y"})");
    EXPECT_EQ(columns.text_of(1), "{1,2}");
    EXPECT_EQ(columns.text_of(2), R"({NULL,"z"})");
    EXPECT_EQ(columns.parameters(4), "(?4)::text[], (?5)::bigint[], (?6)::text[]");
}

}  // namespace

}  // namespace convene::postgres
