// SPDX-License-Identifier: Apache-2.0
// Reading ahead: one read at a time into a buffer that grows up to its limit.
#include "net/read_ahead.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/assert.hpp"

namespace convene {

namespace {

/// Holds the head of nearly every request; thousands of idle connections have one each.
constexpr std::size_t first_capacity = 4096;

}  // namespace

read_ahead::read_ahead(net_stream& from, std::size_t max_bytes, std::function<void()> changed)
    : from_(from), max_bytes_(max_bytes), changed_(std::move(changed)) {}

read_ahead::~read_ahead() { CONVENE_ASSERT(!is_reading_, "a read lost its buffer"); }

void read_ahead::start() {
    if (is_reading_ || has_ended_ || !make_room()) {
        return;
    }
    is_reading_ = true;
    from_.start_read(buffer_.get() + end_, capacity_ - end_, *this);
}

bool read_ahead::make_room() {
    if (begin_ == end_) {
        begin_ = 0;
        end_ = 0;
    }
    if (end_ < capacity_) {
        return true;
    }
    if (begin_ != 0) {
        std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
        return true;
    }
    if (capacity_ >= max_bytes_) {
        return false;
    }
    const std::size_t wanted = std::min(max_bytes_, std::max(first_capacity, capacity_ * 2));
    auto larger = std::make_unique_for_overwrite<char[]>(wanted);
    if (end_ != 0) {
        std::memcpy(larger.get(), buffer_.get(), end_);
    }
    buffer_ = std::move(larger);
    capacity_ = wanted;
    return true;
}

void read_ahead::completed(error_code failure, std::size_t count) noexcept {
    is_reading_ = false;
    end_ += count;
    total_ += count;
    has_ended_ = static_cast<bool>(failure);
    changed_();
}

}  // namespace convene
