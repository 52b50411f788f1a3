// SPDX-License-Identifier: Apache-2.0
// Operations as values: applied to tables, answered once.
#include "store/operation.hpp"

#include <type_traits>
#include <utility>

#include "store/operation_traits.hpp"

namespace convene::detail {

template <class Op>
typed_operation<Op>::typed_operation(Op request) : request_(std::move(request)) {}

template <class Op>
void typed_operation<Op>::apply_to(tables& target) {
    answer_.emplace(target.apply(request_));
}

template <class Op>
bool typed_operation<Op>::has_failed() const noexcept {
    return answer_ && answer_->has_error();
}

template <class Op>
bool typed_operation<Op>::is_read_only() const noexcept {
    return operation_is_read_only<Op>;
}

template <class Op>
bool typed_operation<Op>::guards_itself() const noexcept {
    if constexpr (std::is_same_v<Op, ops::finish_set>) {
        // Whether a deferred item is the first of its address hangs on others.
        return request_.deferred.empty();
    } else {
        return operation_guards_itself<Op>;
    }
}

template <class Op>
bool typed_operation<Op>::locks_first() const noexcept {
    return operation_locks_first<Op>;
}

template <class Op>
const char* typed_operation<Op>::name() const noexcept {
    return operation_name<Op>;
}

template <class Op>
void typed_operation<Op>::answer(result<typename Op::answer> given) {
    answer_.emplace(std::move(given));
}

template <class Op>
result<typename Op::answer> typed_operation<Op>::take() {
    return std::move(*answer_);
}

#define CONVENE_INSTANTIATE(op) template class typed_operation<ops::op>;
CONVENE_STORE_OPERATIONS(CONVENE_INSTANTIATE)
#undef CONVENE_INSTANTIATE

}  // namespace convene::detail
