// SPDX-License-Identifier: Apache-2.0
// Assertions: stop the process on a broken invariant, before it can corrupt a room.
#pragma once

namespace convene {

/// Prints where and what to stderr and aborts. Called by the macros below only.
[[noreturn]] void assertion_failed(const char* file, int line, const char* text) noexcept;

}  // namespace convene

/// Aborts with `text` when `condition` is false, in every build. Never use it on input from
/// outside.
#define CONVENE_ASSERT(condition, text)                  \
    (static_cast<bool>(condition) ? static_cast<void>(0) \
                                  : ::convene::assertion_failed(__FILE__, __LINE__, text))

/// The same for checks too costly for a release build, where the condition compiles but is not
/// evaluated.
#ifdef NDEBUG
#define CONVENE_DEBUG_ASSERT(condition, text) CONVENE_ASSERT(true || (condition), text)
#else
#define CONVENE_DEBUG_ASSERT(condition, text) CONVENE_ASSERT(condition, text)
#endif
