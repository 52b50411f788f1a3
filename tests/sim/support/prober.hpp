// SPDX-License-Identifier: Apache-2.0
// Who is dead: proven by the absence of every session, confirmed, and recorded in the shared tables.
#pragma once

#include <memory>
#include <vector>

#include "sim/support/database.hpp"
#include "sim/support/host.hpp"

namespace convene {

/// Stands for what living workers do together. *Lifetime*: as long as the world.
class sim_prober {
   public:
    sim_prober(
        sim_world& world,
        sim_database& database,
        const std::vector<std::unique_ptr<sim_host>>& hosts
    )
        : world_(world), database_(database), hosts_(hosts) {}

    /// Probes all workers again and again.
    void start();

   private:
    void probe();
    void confirm(const incarnation_id& incarnation);
    [[nodiscard]] bool can_judge() const;
    [[nodiscard]] bool has_session(const incarnation_id& incarnation) const;

    sim_world& world_;
    sim_database& database_;
    const std::vector<std::unique_ptr<sim_host>>& hosts_;
};

}  // namespace convene
