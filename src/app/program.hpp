// SPDX-License-Identifier: Apache-2.0
// The program: arguments in, output and exit code out.
#pragma once

namespace convene {

[[nodiscard]] int run_program(int argc, const char* const* argv);

}  // namespace convene
