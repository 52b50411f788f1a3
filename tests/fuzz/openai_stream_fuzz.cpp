// SPDX-License-Identifier: Apache-2.0
// Answers of openai_stream: the same pieces however the bytes are cut, all of them text, and limits that hold.
#include <cstddef>
#include <cstdint>

#include "agent/provider/openai_stream.hpp"
#include "model_stream_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    convene::check_stream<convene::openai_stream>(data, size);
    return 0;
}
