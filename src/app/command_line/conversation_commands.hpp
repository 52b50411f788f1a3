// SPDX-License-Identifier: Apache-2.0
// The commands that read, write and move conversations.
#pragma once

#include "app/command_line/command_set.hpp"

namespace convene {

/// Where CLI11 puts what it reads of them. *Lifetime*: outlives the parsing.
class conversation_commands {
   public:
    void declare(command_set& commands);

   private:
    void declare_import(command_set& commands);
    void declare_export(command_set& commands);
    void declare_send(command_set& commands);
    void declare_tail(command_set& commands);
    void declare_rooms(command_set& commands);

    import_options import_;
    export_options export_;
    send_options send_;
    tail_options tail_;
    rooms_options rooms_;
};

}  // namespace convene
