// SPDX-License-Identifier: Apache-2.0
// How the program ends. The numbers are frozen: scripts test them (`docs/cli.md`).
#pragma once

namespace convene {

enum class exit_code : int {
    ok = 0,
    partial = 1,           ///< something was refused or failed, the rest was done
    usage = 2,             ///< a flag, argument or setting is wrong: nothing was done
    refused = 3,           ///< the input was refused: nothing was stored
    database_in_use = 4,   ///< another process writes the database
    database_problem = 5,  ///< database or server: missing, damaged, foreign, too new, out of reach
    output_failed = 6,     ///< the output could not be written
    interrupted = 130,     ///< ended by SIGINT, in order
    terminated = 143,      ///< ended by SIGTERM, in order

    // `doctor` answers a question, and so has its own words for two of the numbers.
    doctor_warnings = 1,
    doctor_problems = 2,
};

}  // namespace convene
