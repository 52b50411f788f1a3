// SPDX-License-Identifier: Apache-2.0
// Identifiers we make: UUIDv7, which sort by time, and UUIDv5, which are a function of their input.
#pragma once

#include "convene/ids.hpp"
#include "convene/random.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace convene {

/// A UUIDv7 (RFC 9562) of this millisecond, otherwise random. Two of one millisecond have no order;
/// `id_generator` gives them one.
[[nodiscard]] std::string make_uuid7(wall_time t, random_source& random);

/// Makes ids that sort in the order in which this object made them, also within a millisecond and
/// when the clock steps back.
///
/// *Thread safety*: loop only. *Lifetime*: clock and random source outlive it.
class id_generator {
   public:
    id_generator(const wall_clock& clock, random_source& random) : clock_(clock), random_(random) {}

    template <class Id>
    [[nodiscard]] Id next() {
        return Id{next_uuid7()};
    }

   private:
    [[nodiscard]] std::string next_uuid7();

    const wall_clock& clock_;
    random_source& random_;

    std::uint64_t millisecond_ = 0;  ///< of the last id; ahead of the clock after a step back
    std::uint64_t counter_ = 0;      ///< of the last id: its rand_a field, 12 bits
};

/// A UUIDv5 (RFC 9562): the same for the same input, everywhere.
/// *Requires*: `namespace_uuid` is a UUID in its usual form, 8-4-4-4-12.
[[nodiscard]] std::string uuid5(std::string_view namespace_uuid, std::string_view name);

/// The namespace of delivery ids. Frozen: receivers recognise a redelivery by its id.
inline constexpr std::string_view delivery_namespace = "9c7ebbb6-1030-4637-888e-1117ea782c14";

/// The id of the delivery of `event` to `target`, the same at every attempt and on every worker.
[[nodiscard]] delivery_id make_delivery_id(const event_id& event, std::string_view target);

}  // namespace convene
