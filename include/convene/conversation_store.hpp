// SPDX-License-Identifier: Apache-2.0
// The store of conversations as an application holds it: made by `make_memory_store` or
// `open_sqlite_store`, handed to a kit.
#pragma once

#include <memory>
#include <type_traits>

namespace convene {

class conversation_store;

}  // namespace convene

/// Lets an application destroy a store without knowing what it is made of.
template <>
struct std::default_delete<convene::conversation_store> {
    default_delete() = default;

    template <class Store>
        requires std::is_convertible_v<Store*, convene::conversation_store*>
    default_delete(const default_delete<Store>&) noexcept {}

    void operator()(convene::conversation_store* store) const noexcept;
};
