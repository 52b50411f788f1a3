// SPDX-License-Identifier: Apache-2.0
// The lock manager of one process: for each name in use a line of places, whose first holds it.
#pragma once

#include "convene/lease.hpp"
#include "convene/wait.hpp"

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

namespace convene {

/// Hands out leases that this process alone sees.
///
/// *Thread safety*: loop only.
/// *Lifetime*: outlives the calls made to it. Leases may outlive it: they are lost then.
/// *Complexity*: every operation but `close` and `list` is O(1), however many names and waiters there are.
class in_memory_lock_manager final : public lock_manager {
   public:
    explicit in_memory_lock_manager(executor& where);
    ~in_memory_lock_manager() override;

    in_memory_lock_manager(const in_memory_lock_manager&) = delete;
    in_memory_lock_manager& operator=(const in_memory_lock_manager&) = delete;

    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> acquire(lease_name name, deadline until)
        override;
    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> try_acquire(lease_name name) override;

    [[nodiscard]] std::vector<lease_info> list() const override;
    [[nodiscard]] awaitable<result<>> revoke(lease_name name, deadline until) override;

    [[nodiscard]] bool is_process_local() const noexcept override { return true; }

    [[nodiscard]] awaitable<result<>> close(deadline until) override;

    /// How many names are held.
    [[nodiscard]] std::size_t size() const noexcept { return lines_.size(); }

   private:
    class place;
    using place_hook = boost::intrusive::list_base_hook<
        boost::intrusive::tag<in_memory_lock_manager>>;
    using line = boost::intrusive::list<
        place,
        boost::intrusive::base_hook<place_hook>,
        boost::intrusive::constant_time_size<false>>;

    struct name_hash {
        std::size_t operator()(const lease_name& name) const noexcept;
    };

    [[nodiscard]] static awaitable<result<>> wait_for_turn(place* mine);
    void dismiss_waiting() noexcept;
    void lose_all() noexcept;
    void forget(const lease_name& name) noexcept;

    // fixed after construction
    executor& where_;

    // touched on the loop only
    bool is_closing_ = false;
    wait_flag idle_;  // set once it is closing and no name is held
    std::unordered_map<lease_name, line, name_hash> lines_;
};

}  // namespace convene
