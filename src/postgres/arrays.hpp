// SPDX-License-Identifier: Apache-2.0
// Arrays as PostgreSQL reads them from text, and rows turned into one array for each column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/sql/session.hpp"

namespace convene::postgres {

/// The text of a one-dimensional array: `{"a","b",NULL}`.
class array_text {
   public:
    void add(std::string_view value);
    void add_number(std::int64_t value);
    void add_number(double value);
    void add_null();

    [[nodiscard]] std::string text() const { return items_.empty() ? "{}" : items_ + '}'; }

   private:
    void separate();

    std::string items_;
};

/// Takes rows, value by value, and keeps the arrays of their columns: what `unnest` makes rows of again, however many
/// there are, in one statement with the same text.
class column_arrays final : public sql::argument_sink {
   public:
    explicit column_arrays(int columns) : columns_(static_cast<std::size_t>(columns)) {}

    /// Adds a row; it has a value for each column.
    template <class... T>
    void add(const T&... values) {
        sql::binder::bind_all(*this, sql::text_lifetime::copies, values...);
    }

    [[nodiscard]] std::string text_of(int column) const {
        return columns_[static_cast<std::size_t>(column)].values.text();
    }

    /// `(?5)::text[], (?6)::bigint[], ...`: the arguments of `unnest`, numbered from `first` on.
    /// *Requires*: a row was added, since it tells the types.
    [[nodiscard]] std::string parameters(int first) const;

    [[nodiscard]] int parameter_count() const noexcept override {
        return static_cast<int>(columns_.size());
    }

    void bind_text(int position, sql::text_lifetime how, std::string_view value) override;
    void bind_bytes(int position, sql::text_lifetime how, std::string_view value) override;
    void bind_integer(int position, std::int64_t value) override;
    void bind_real(int position, double value) override;
    void bind_null(int position, sql::value_kind kind) override;

   private:
    struct column {
        sql::value_kind kind = sql::value_kind::text;
        array_text values;
    };

    [[nodiscard]] array_text& at(int position, sql::value_kind kind);

    std::vector<column> columns_;
};

}  // namespace convene::postgres
