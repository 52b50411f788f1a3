// SPDX-License-Identifier: Apache-2.0
// Room listing: pages by id.
#include "app/room_listing.hpp"

namespace convene {

namespace {

constexpr std::size_t page_size = 500;

}  // namespace

awaitable<result<std::vector<room>>> room_listing::next_page() {
    ops::list_rooms request;
    request.after = last_;
    request.limit = page_size;
    auto page = co_await store_.run(std::move(request));
    if (page && !page->empty()) {
        last_ = page->back().id;
    }
    co_return page;
}

}  // namespace convene
