// SPDX-License-Identifier: Apache-2.0
// The table of settings.
#include "base/config/database_url.hpp"
#include "base/config/setting.hpp"
#include "base/secret_box.hpp"
#include "base/value_forms.hpp"

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

/// The setting may be left out; what is given must be a key.
bool is_key_or_none(std::string_view text) { return text.empty() || is_deployment_key(text); }

bool is_postgres_url_or_none(std::string_view text) {
    return text.empty() || (is_database_url(text) && !text.starts_with("sqlite:"));
}

constexpr text_form lock_database_url{
    is_postgres_url_or_none, "postgresql://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE"
};

std::string redacted_url_or_none(std::string_view url) {
    return url.empty() ? "" : redacted_database_url(url);
}

/// That there is none may be known.
std::string redacted_key(std::string_view key) { return key.empty() ? "" : "***"; }

constexpr text_form secrets_key{
    is_key_or_none, "32 bytes in base64, as `openssl rand -base64 32` prints"
};

/// Hosts and ranges have no other characters.
bool is_list_of_hosts(std::string_view text) {
    return text.find_first_not_of(
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:/,"
           ) == std::string_view::npos;
}

constexpr text_form outgoing_allowed{
    is_list_of_hosts, "hosts and ranges with commas between them, without spaces"
};

bool is_server_url(std::string_view text) {
    return text.empty() || (is_web_url(text) && text.find_first_of("?#") == std::string_view::npos);
}

constexpr text_form server_url{
    is_server_url,
    "http://HOST[:PORT] or https://HOST[:PORT], with a path if the server is behind one"
};

constexpr text_form provider_url{
    is_server_url, "http://HOST[:PORT] or https://HOST[:PORT], with a path if the API is behind one"
};

constexpr std::string_view tokens_field_words[] = {"auto", "max_tokens", "max_completion_tokens"};

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
        .name = "LOCK_DB_URL",
        .flag = "--lock-db-url",
        .kind = setting_kind::secret,
        .default_value = "",
        .help = "Another way to the PostgreSQL database of DB_URL, for locks: with another user, "
                "or past a "
                "pooler; left out: DB_URL.",
        .form = &lock_database_url,
        .redacted = redacted_url_or_none,
    },
    {
        .name = "URL",
        .flag = "--url",
        .kind = setting_kind::string,
        .default_value = "",
        .help = "A server that the commands ask, instead of a database here.",
        .form = &server_url,
        .variables = variable_rule::prefixed,
    },
    {
        .name = "TOKEN",
        .flag = "--token",
        .kind = setting_kind::secret,
        .default_value = "",
        .help = "The API token that the server of --url knows its caller by.",
        .variables = variable_rule::prefixed,
    },
    {
        .name = "CA",
        .flag = "--ca",
        .kind = setting_kind::string,
        .default_value = "",
        .help = "A PEM file with the authorities that the server of --url is trusted by; left out: "
                "those of this machine.",
        .variables = variable_rule::prefixed,
    },
    {
        .name = "RETRY_FOR",
        .flag = "--retry-for",
        .kind = setting_kind::duration,
        .default_value = "10",
        .help = "How long a command goes on trying when the server of --url does not answer.",
        .min = 0,
        .max = 1 * hour,
        .variables = variable_rule::prefixed,
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
        .name = "HOST",
        .flag = "--host",
        .kind = setting_kind::string,
        .default_value = "127.0.0.1",
        .help = "The address that `serve` listens on; by default only this machine reaches it.",
    },
    {
        .name = "PORT",
        .flag = "--port",
        .kind = setting_kind::integer,
        .default_value = "8080",
        .help = "The port that `serve` listens on; 0: any that is free.",
        .min = 0,
        .max = 65535,
    },
    {
        .name = "APP_BASE_URL",
        .flag = "--app-base-url",
        .kind = setting_kind::string,
        .default_value = "",
        .help = "How browsers reach the server, for links; left out: by the address it listens on.",
    },
    {
        .name = "WEB_DIR",
        .flag = "--web-dir",
        .kind = setting_kind::string,
        .default_value = "",
        .help = "The folder with the built web app; left out: the API is served without it.",
    },
    {
        .name = "TLS_CERTIFICATE",
        .flag = "--tls-certificate",
        .kind = setting_kind::string,
        .default_value = "",
        .help = "A PEM file with the server's certificate chain; with it `serve` speaks TLS.",
    },
    {
        .name = "TLS_KEY",
        .flag = "--tls-key",
        .kind = setting_kind::string,
        .default_value = "",
        .help = "The PEM file with the key of TLS_CERTIFICATE.",
    },
    {
        .name = "TLS_CLIENT_CA",
        .flag = "--tls-client-ca",
        .kind = setting_kind::string,
        .default_value = "",
        .help = "A PEM file with the authorities whose clients are let in; left out: no client "
                "needs a certificate.",
    },
    {
        .name = "BOOTSTRAP_TOKEN",
        .flag = "--bootstrap-token",
        .kind = setting_kind::secret,
        .default_value = "",
        .help = "An API token that stands for the first admin; left out: there is none.",
    },
    {
        .name = "SECRETS_KEY",
        .flag = "--secrets-key",
        .kind = setting_kind::secret,
        .default_value = "",
        .help = "Seals secrets in the database: 32 bytes in base64; left out: in a file beside it.",
        .form = &secrets_key,
        .redacted = redacted_key,
    },
    {
        .name = "OUTGOING_ALLOWED",
        .flag = "--outgoing-allowed",
        .kind = setting_kind::string,
        .default_value = "",
        .help = "Hosts and address ranges, with commas between them, that webhooks may reach "
                "although they are not public.",
        .form = &outgoing_allowed,
    },
    {
        .name = "LOCK_POOL_MAX_SIZE",
        .flag = "--lock-pool-max-size",
        .kind = setting_kind::integer,
        .default_value = "8",
        .help = "Rooms that may be committed to at once; a quarter of it may wait for serial "
                "hooks.",
        .min = 4,
        .max = 1000,
    },
    {
        .name = "LEASE_MAX_PER_WORKER",
        .flag = "--lease-max-per-worker",
        .kind = setting_kind::integer,
        .default_value = "2000",
        .help = "Claims on rooms that a worker may hold at once on PostgreSQL; each takes a place "
                "in the "
                "server's lock table.",
        .min = 10,
        .max = 100000,
    },
    {
        .name = "AGENT_TURN_TIMEOUT_SECONDS",
        .flag = "--agent-turn-timeout-seconds",
        .kind = setting_kind::integer,
        .default_value = "3600",
        .help = "How long one run of an agent session may take.",
        .min = 10,
        .max = 86400,
    },
    {
        .name = "SESSION_RUNNER_CONCURRENCY",
        .flag = "--session-runner-concurrency",
        .kind = setting_kind::integer,
        .default_value = "4",
        .help = "Turns of agent sessions that a worker runs at once, besides those that a request "
                "waits for.",
        .min = 1,
        .max = 1000,
    },
    {
        .name = "SESSION_FRAMES_RETENTION_DAYS",
        .flag = "--session-frames-retention-days",
        .kind = setting_kind::integer,
        .default_value = "7",
        .help = "How long the stream of an agent's run can be read again after its end.",
        .min = 1,
        .max = 36500,
    },
    {
        .name = "SESSION_RUNS_RETENTION_DAYS",
        .flag = "--session-runs-retention-days",
        .kind = setting_kind::integer,
        .default_value = "90",
        .help = "How long ended runs and turns of agent sessions, and their tool calls, are on "
                "record; at least as long as their streams.",
        .min = 1,
        .max = 36500,
    },
    {
        .name = "SKILLS_DIR",
        .flag = "--skills-dir",
        .kind = setting_kind::string,
        .default_value = "",
        .help = "The folder of pulled skills, one for all workers; left out: beside a database in "
                "a file, and with PostgreSQL there are no skills.",
    },
    {
        .name = "SKILLS_CLONE_TIMEOUT_SECONDS",
        .flag = "--skills-clone-timeout-seconds",
        .kind = setting_kind::integer,
        .default_value = "120",
        .help = "How long a skill may take to be fetched.",
        .min = 1,
        .max = 3600,
    },
    {
        .name = "SKILLS_PRUNE_GRACE_SECONDS",
        .flag = "--skills-prune-grace-seconds",
        .kind = setting_kind::integer,
        .default_value = "3600",
        .help = "How long a revision of a skill stays after it was in use, though nothing is "
                "pinned to it.",
        .min = 0,
        .max = 31'536'000,
    },
    {
        .name = "SKILLS_GIT_CA",
        .flag = "--skills-git-ca",
        .kind = setting_kind::string,
        .default_value = "",
        .help = "A PEM file with the authorities that git servers are trusted by; left out: those "
                "of this machine.",
    },
    {
        .name = "SKILLS_LOCAL_REPOSITORIES",
        .flag = "--skills-local-repositories",
        .kind = setting_kind::boolean,
        .default_value = "false",
        .help = "Whether admins may have skills pulled from folders of this machine (file:///...), "
                "for development.",
    },
    {
        .name = "RATE_LIMIT_PER_USER",
        .flag = "--rate-limit-per-user",
        .kind = setting_kind::integer,
        .default_value = "50",
        .help = "Requests a second that a user, or an address that is not signed in, may send; "
                "four times as many at once.",
        .min = 1,
        .max = 1'000'000,
    },
    {
        .name = "RATE_LIMIT_PER_TOKEN",
        .flag = "--rate-limit-per-token",
        .kind = setting_kind::integer,
        .default_value = "2000",
        .help = "Requests a second that an API token may send; twice as many at once.",
        .min = 1,
        .max = 1'000'000,
    },
    {
        .name = "ATTACHMENT_MAX_BYTES",
        .flag = "--attachment-max-bytes",
        .kind = setting_kind::integer,
        .default_value = "26214400",
        .help = "The largest file that may be uploaded; a few of them are held in memory at once.",
        .min = 1,
        .max = 1'073'741'824,
    },
    {
        .name = "ATTACHMENT_ROOM_MAX_BYTES",
        .flag = "--attachment-room-max-bytes",
        .kind = setting_kind::integer,
        .default_value = "1073741824",
        .help = "The bytes of one room's files together.",
        .min = 1,
        .max = 1'000'000'000'000'000,
    },
    {
        .name = "ATTACHMENT_ORGANIZATION_MAX_BYTES",
        .flag = "--attachment-organization-max-bytes",
        .kind = setting_kind::integer,
        .default_value = "21474836480",
        .help = "The bytes of one organisation's files together.",
        .min = 1,
        .max = 1'000'000'000'000'000,
    },
    {
        .name = "OPENAI_BASE_URL",
        .flag = "--openai-base-url",
        .kind = setting_kind::string,
        .default_value = "https://api.openai.com/v1",
        .help = "Where models with an OpenAI-compatible API are; requests go to /chat/completions "
                "behind it.",
        .form = &provider_url,
    },
    {
        .name = "OPENAI_API_KEY",
        .flag = "--openai-api-key",
        .kind = setting_kind::secret,
        .default_value = "",
        .help = "The key for OPENAI_BASE_URL; left out: none is sent.",
        .redacted = redacted_key,
    },
    {
        .name = "OPENAI_MODEL",
        .flag = "--openai-model",
        .kind = setting_kind::string,
        .default_value = "",
        .help = "The model there, for agents that name none.",
    },
    {
        .name = "OPENAI_TOKENS_FIELD",
        .flag = "--openai-tokens-field",
        .kind = setting_kind::enumeration,
        .default_value = "auto",
        .help = "How a request there limits its answer; auto: max_completion_tokens at OpenAI, "
                "max_tokens elsewhere.",
        .words = tokens_field_words,
    },
    {
        .name = "ANTHROPIC_BASE_URL",
        .flag = "--anthropic-base-url",
        .kind = setting_kind::string,
        .default_value = "https://api.anthropic.com",
        .help = "Where models with Anthropic's Messages API are; requests go to /v1/messages "
                "behind it.",
        .form = &provider_url,
    },
    {
        .name = "ANTHROPIC_API_KEY",
        .flag = "--anthropic-api-key",
        .kind = setting_kind::secret,
        .default_value = "",
        .help = "The key for ANTHROPIC_BASE_URL; left out: none is sent.",
        .redacted = redacted_key,
    },
    {
        .name = "ANTHROPIC_MODEL",
        .flag = "--anthropic-model",
        .kind = setting_kind::string,
        .default_value = "",
        .help = "The model there, for agents that name none.",
    },
    {
        .name = "ANTHROPIC_THINKING_TOKENS",
        .flag = "--anthropic-thinking-tokens",
        .kind = setting_kind::integer,
        .default_value = "0",
        .help = "How much a model there may think before it speaks; 0: it does not.",
        .min = 0,
        .max = 1'000'000,
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
