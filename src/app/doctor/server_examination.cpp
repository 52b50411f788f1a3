// SPDX-License-Identifier: Apache-2.0
// The verdicts about a server.
#include "app/doctor/server_examination.hpp"

#include <fmt/format.h>

namespace convene {

namespace {

check_result sound(std::string name, std::string text) {
    return {std::move(name), verdict::sound, std::move(text), ""};
}

check_result check_reach(const server_facts& facts) {
    if (facts.unreachable) {
        return {"server", verdict::problem, facts.unreachable->text, facts.unreachable->remedy};
    }
    return sound("server", facts.url + " answers");
}

check_result check_readiness(const server_facts& facts) {
    if (facts.is_ready) {
        return sound("ready", "it takes work");
    }
    return {
        "ready",
        verdict::problem,
        "it takes no work now: it is stopping, or its database does not answer",
        "ask again in a moment; GET /readyz names what is missing"
    };
}

check_result check_version(const server_facts& facts) {
    if (facts.version == facts.own_version) {
        return sound("version", facts.version + ", as this program");
    }
    return {
        "version",
        verdict::warning,
        fmt::format(
            "the server is {}, this program {}",
            facts.version.empty() ? "of an unknown version" : facts.version,
            facts.own_version
        ),
        "use the program of the server's version"
    };
}

check_result check_token(const server_facts& facts) {
    if (facts.unknown_token) {
        return {"token", verdict::problem, facts.unknown_token->text, facts.unknown_token->remedy};
    }
    return sound("token", fmt::format("good for the rooms of '{}'", facts.organization));
}

check_result check_workers(std::int64_t live) {
    if (live > 0) {
        return sound("workers", fmt::format("{} at work", live));
    }
    return {
        "workers",
        verdict::warning,
        "none is registered as live, though one answers",
        "it may have been declared dead: its log says more; restart it"
    };
}

check_result check_lanes(const server_facts::lane_totals& lanes) {
    if (lanes.waiting == 0) {
        return sound("deliveries", "nothing waits");
    }
    if (lanes.unclaimed == 0) {
        return sound("deliveries", fmt::format("{} events are on their way", lanes.waiting));
    }
    return {
        "deliveries",
        verdict::warning,
        fmt::format("{} events wait in rooms that this worker does not deliver", lanes.unclaimed),
        "another worker may be at it; GET admin/lanes shows the rooms"
    };
}

check_result check_skips(bool has_skips) {
    if (!has_skips) {
        return sound("skips", "none");
    }
    return {
        "skips",
        verdict::warning,
        "events were passed over by delivery, on record",
        "GET admin/skips lists them with the reason"
    };
}

}  // namespace

std::vector<check_result> judge(const server_facts& facts) {
    std::vector<check_result> checks{check_reach(facts)};
    if (facts.unreachable) {
        return checks;
    }
    checks.push_back(check_readiness(facts));
    checks.push_back(check_version(facts));
    checks.push_back(check_token(facts));
    if (facts.unknown_token) {
        return checks;
    }
    if (facts.no_operator) {
        checks.push_back(
            {"operation", verdict::warning, facts.no_operator->text, facts.no_operator->remedy}
        );
    }
    if (facts.live_workers) {
        checks.push_back(check_workers(*facts.live_workers));
    }
    if (facts.lanes) {
        checks.push_back(check_lanes(*facts.lanes));
    }
    if (facts.has_skips) {
        checks.push_back(check_skips(*facts.has_skips));
    }
    return checks;
}

}  // namespace convene
