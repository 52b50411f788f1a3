// SPDX-License-Identifier: Apache-2.0
// The commands of whoever operates a deployment.
#pragma once

#include "app/command_line/command_set.hpp"

namespace convene {

/// Where CLI11 puts what it reads of them. *Lifetime*: outlives the parsing.
class operating_commands {
   public:
    void declare(command_set& commands);

   private:
    void declare_dedupe(command_set& commands);
    void declare_lanes(command_set& commands);
    void declare_leases(command_set& commands);
    void declare_doctor(command_set& commands);
    void declare_serve(command_set& commands);
    void declare_migrate(command_set& commands);
    void declare_version(command_set& commands);

    dedupe_options dedupe_;
    lanes_options lanes_;
    leases_options leases_;
    doctor_options doctor_;
    serve_options serve_;
    migrate_options migrate_;
    version_options version_;
};

}  // namespace convene
