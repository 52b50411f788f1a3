// SPDX-License-Identifier: Apache-2.0
// Leases of several workers over HTTP: one list, and taking a lease from another worker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "unit/http/http_scene.hpp"

namespace convene {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const lease_name stuck = lease_name::delivery(organization_id{"acme"}, room_id{"r"});

/// The locks of this worker, and what a test says of another one.
class locks_beside_others final : public lock_manager {
   public:
    explicit locks_beside_others(executor& where) : own_(make_in_memory_lock_manager(where)) {}

    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> acquire(lease_name name, deadline until)
        override {
        return own_->acquire(std::move(name), until);
    }

    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> try_acquire(lease_name name) override {
        return own_->try_acquire(std::move(name));
    }

    [[nodiscard]] awaitable<result<std::vector<worker_lease>>> list_all(deadline until) override {
        auto all = co_await own_->list_all(until);
        if (all) {
            all->insert(all->end(), others.begin(), others.end());
        }
        co_return all;
    }

    [[nodiscard]] awaitable<result<lease_release>> take_away(
        lease_name name, stubborn_holder otherwise, deadline
    ) override {
        asked.emplace_back(std::move(name), otherwise);
        if (!answers_in_time && otherwise == stubborn_holder::keeps_it) {
            co_return errc::timed_out;
        }
        co_return answers_in_time ? lease_release::let_go : lease_release::session_ended;
    }

    [[nodiscard]] bool is_process_local() const noexcept override { return true; }

    [[nodiscard]] awaitable<result<>> close(deadline until) override { return own_->close(until); }

    std::vector<worker_lease> others;
    bool answers_in_time = false;
    std::vector<std::pair<lease_name, stubborn_holder>> asked;

   private:
    std::unique_ptr<lock_manager> own_;
};

/// The surface of a worker beside another one, `w2` on `host2`, which holds three claims and a room's lock.
class HttpLeasesOfOthers : public testing::Test {
   protected:
    HttpLeasesOfOthers() {
        room_kit_parts parts;
        parts.where = &scene_.loop;
        parts.store = &scene_.store;
        parts.locks = &locks_;
        parts.clock = &scene_.world->clock;
        kit_ = std::make_unique<room_kit>(parts, room_kit_settings{});
        http_surface_parts of_surface;
        of_surface.kit = kit_.get();
        of_surface.who = &scene_.callers;
        of_surface.clock = &scene_.world->clock;
        of_surface.version = "0.1.0";
        of_surface.inbox = &scene_.inbox;
        of_surface.box = &scene_.box;
        const rate_gate_settings rates{1000, 1000};
        scene_.surface = std::make_unique<http_surface>(
            std::move(of_surface), rate_limits{rates, rates}
        );
        add(stuck, 2);
        add(lease_name::delivery(organization_id{"acme"}, room_id{"s"}), 0);
        add(lease_name::delivery(organization_id{"globex"}, room_id{"t"}), 0);
        add(lease_name::room(organization_id{"acme"}, room_id{"u"}), 0);
    }

    ~HttpLeasesOfOthers() override {
        scene_.surface.reset();
        scene_.loop.run(kit_->close());
    }

    void add(const lease_name& name, std::size_t waiters) {
        const lease_info held{name, lease_state::held, scene_.loop.now(), waiters};
        locks_.others.push_back({held, incarnation_id{"w2"}, "host2"});
    }

    [[nodiscard]] std::string last_audit() {
        return scene_.ask(ops::list_audit{organization_id{"acme"}, {}, 10}).at(0).details.str();
    }

    const std::string path_ = "/api/v1/admin/leases/__delivery__%3Ar";
    http_scene scene_;
    locks_beside_others locks_{scene_.loop};
    std::unique_ptr<room_kit> kit_;
};

// Each lease is shown with the worker that holds it, and counted; what is another organisation's is not.
// Proves: L11, X1
TEST_F(HttpLeasesOfOthers, AreShownWithTheirWorker) {
    const seen_reply shown = scene_.get("/api/v1/admin/leases", "olga");
    ASSERT_EQ(shown.status, 200) << shown.body;
    EXPECT_THAT(
        shown.body,
        HasSubstr(
            R"("holder":"w2","worker":{"incarnation":"w2","host":"host2","is_self":false},"state":"held")"
        )
    );
    EXPECT_THAT(shown.body, HasSubstr(R"({"kind":"delivery","held":2,"waiters":2})"));
    EXPECT_THAT(shown.body, HasSubstr(R"({"kind":"room","held":1,"waiters":0})"));
    const seen_reply waiting = scene_.get("/api/v1/admin/leases?view=waiting", "olga");
    EXPECT_EQ(waiting.list("leases").size(), 1U);
    EXPECT_EQ(waiting.list("counts").size(), shown.list("counts").size());
}

// What would be lost with the session is counted over all organisations, and named as far as one may see it; a room's
// lock has a session of its own.
// Proves: L11, X1
TEST_F(HttpLeasesOfOthers, APreviewSaysWhatElseWouldBeLost) {
    const seen_reply claim = scene_.erase(path_ + "?dry_run=1", "olga");
    EXPECT_THAT(claim.body, HasSubstr(R"("lost_with_session":2,"lost_names":["__delivery__:s"])"));
    const seen_reply lock = scene_.erase("/api/v1/admin/leases/room%3Aacme%2Fu?dry_run=1", "olga");
    EXPECT_THAT(lock.body, HasSubstr(R"("lost_with_session":0,"lost_names":[])"));
    EXPECT_TRUE(locks_.asked.empty());
}

// A worker that answers lets go; one that does not keeps the lease, until an operator confirms that it is to lose its
// session. All of it is in the audit trail.
// Proves: L11
TEST_F(HttpLeasesOfOthers, ASilentWorkerKeepsItsLeaseUntilItIsConfirmed) {
    const seen_reply kept = scene_.erase(path_ + "?reason=stuck", "olga");
    EXPECT_EQ(kept.status, 409);
    EXPECT_EQ(kept.code(), "LEASE_NOT_RELEASED");
    EXPECT_THAT(kept.body, HasSubstr("worker w2 was asked"));
    EXPECT_THAT(kept.body, HasSubstr("2 other leases"));
    EXPECT_EQ(last_audit(), R"({"reason":"stuck","worker":"w2","confirm":false})");

    const seen_reply ended = scene_.erase(path_ + "?reason=stuck&confirm=1", "olga");
    EXPECT_EQ(ended.status, 200) << ended.body;
    EXPECT_EQ(ended.text("state"), "session_ended");
    EXPECT_EQ(last_audit(), R"({"reason":"stuck","worker":"w2","confirm":true})");

    locks_.answers_in_time = true;
    EXPECT_EQ(scene_.erase(path_ + "?reason=stuck", "olga").text("state"), "released");
    EXPECT_THAT(
        locks_.asked,
        ElementsAre(
            std::pair{stuck, stubborn_holder::keeps_it},
            std::pair{stuck, stubborn_holder::loses_its_session},
            std::pair{stuck, stubborn_holder::keeps_it}
        )
    );
}

}  // namespace
}  // namespace convene
