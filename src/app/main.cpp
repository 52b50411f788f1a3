// SPDX-License-Identifier: Apache-2.0
// The entry point of `convene`.
#include "app/program.hpp"

int main(int argc, char** argv) { return convene::run_program(argc, argv); }
