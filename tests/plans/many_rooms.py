# SPDX-License-Identifier: Apache-2.0
# A database with as many rooms as are wished for: copies of the few that a worker has made.
"""Nothing here knows what a column means, but whether its values name something of one room: a copy gets names of its own,
and keeps the rest."""

from database import Database

# Of the whole deployment: they don't grow with its rooms. Leases are as many as workers hold at a time.
FEW = {
    "api_tokens", "app_state", "attachment_usage", "auth_sessions", "channels", "deployment_markers", "erasures", "hooks",
    "lease_info", "one_time_links", "organization_configs", "organizations", "retention_policies", "schema_migrations",
    "secrets", "skill_pins", "skills", "subscriptions", "user_state", "users", "webhook_subscriptions", "workers",
}

# Texts that are different in each copy.
NAMES = {
    "attachment_id", "caused_by", "correlation_id", "delivery_id", "event_id", "event_key", "external_id", "id",
    "idempotency_key", "identity_id", "key", "link_key", "parent_id", "participant_id", "room_id", "run_id", "sender",
    "turn_id",
}
ADDRESSES = {("identity_addresses", "address"), ("outbound_queue", "address")}
NUMBERS = {"seq", "sequence", "id"}
PLACES = {("notifications", "number"), ("tool_intents", "number"), ("turns", "number")}

# Nobody comes for a copy.
LATER = {("outbound_queue", "not_before"), ("room_timers", "due_at"), ("request_answers", "expires_at"),
         ("attachments", "expires_at")}

# Numbers of the copies lie this far from each other.
APART = 1_000_000

# What a room is, and how it is found. Beyond so many copies the others have no history: it would only take time.
ROOMS = {
    "bindings", "inbound_keys", "inbound_routes", "participants", "room_cursors", "room_metadata", "room_timers", "rooms",
}
MOST_HISTORIES = 10_000

PATIENCE = 1800  # seconds for one table


def tables_that_grow(database: Database) -> list[str]:
    found = database.ask(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"
        " ORDER BY 1"
    )
    return [name for (name,) in found if name not in FEW]


def copied_value(table: str, column: str, kind: str) -> str:
    name = f'"{column}"'
    if kind == "bigint" and (column in NUMBERS or (table, column) in PLACES):
        return f"{name} + n * {APART}"
    if kind == "text" and (column in NAMES or (table, column) in ADDRESSES):
        return f"CASE WHEN {name} = '' THEN '' ELSE {name} || '-' || n END"
    if (table, column) in LATER:
        return f"{name} + 1000000000000000"
    return name


def multiply(database: Database, copies: int):
    """Each row of each table that grows gets so many copies; then the planner knows of them."""
    for table in tables_that_grow(database):
        columns = database.ask(
            "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'public' AND"
            f" table_name = '{table}' ORDER BY ordinal_position"
        )
        names = ", ".join(f'"{column}"' for column, _ in columns)
        values = ", ".join(copied_value(table, column, kind) for column, kind in columns)
        many = copies if table in ROOMS else min(copies, MOST_HISTORIES)
        database.ask(
            f"INSERT INTO {table} ({names}) SELECT {values} FROM generate_series(1::bigint, {many}) AS n"
            f" CROSS JOIN {table}",
            PATIENCE,
        )
    for table, column in database.ask(
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' AND is_identity ="
        " 'YES'"
    ):
        database.ask(
            f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), (SELECT coalesce(max({column}), 0) + 1 FROM"
            f" {table}))"
        )
    database.ask("VACUUM (ANALYZE)", PATIENCE)
