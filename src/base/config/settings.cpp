// SPDX-License-Identifier: Apache-2.0
// The table of settings.
#include "base/config/database_url.hpp"
#include "base/config/setting.hpp"

namespace convene {

namespace {

constexpr std::int64_t second = 1000;
constexpr std::int64_t minute = 60 * second;
constexpr std::int64_t hour = 60 * minute;

constexpr std::string_view recovery_words[] = {"redeliver", "skip"};
constexpr std::string_view log_level_words[] = {"trace", "debug", "info", "warn", "error", "off"};

constexpr text_form database_url{
    is_database_url, "sqlite:///PATH or postgresql://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE"
};

constexpr setting table[] = {
    {
        .name = "DB_URL",
        .flag = "--db-url",
        .kind = setting_kind::secret,
        .default_value = "sqlite:///convene.db",
        .help = "The database that holds rooms and events.",
        .form = &database_url,
        .redacted = redacted_database_url,
    },
    {
        .name = "DELIVERY_GAP_TIMEOUT",
        .flag = "--delivery-gap-timeout",
        .kind = setting_kind::duration,
        .default_value = "30",
        .help = "How long a lane waits for an undelivered event of a worker whose fate is not "
                "known.",
        .min = 1 * second,
        .max = 1 * hour,
    },
    {
        .name = "DELIVERY_WAIT_TIMEOUT",
        .flag = "--delivery-wait-timeout",
        .kind = setting_kind::duration,
        .default_value = "30",
        .help = "How long a sender waits for the delivery of its event before it gets "
                "`delivering`.",
        .min = 0,
        .max = 1 * hour,
    },
    {
        .name = "DELIVERY_RECOVERY",
        .flag = "--delivery-recovery",
        .kind = setting_kind::enumeration,
        .default_value = "redeliver",
        .help = "What happens to events that a dead worker had committed and not delivered.",
        .words = recovery_words,
    },
    {
        .name = "PROCESS_TIMEOUT",
        .flag = "--process-timeout",
        .kind = setting_kind::duration,
        .default_value = "30",
        .help = "Bounds all that comes before an event's commit, waiting for its room included.",
        .min = 100,
        .max = 10 * minute,
    },
    {
        .name = "SET_DEADLINE",
        .flag = "--set-deadline",
        .kind = setting_kind::duration,
        .default_value = "10",
        .help = "How long one event's delivery may hold its lane before slow targets are deferred.",
        .min = 100,
        .max = 10 * minute,
    },
    {
        .name = "LOG_LEVEL",
        .flag = "--log-level",
        .kind = setting_kind::enumeration,
        .default_value = "info",
        .help = "The least important lines that are logged.",
        .words = log_level_words,
    },
};

}  // namespace

std::span<const setting> all_settings() { return table; }

}  // namespace convene
