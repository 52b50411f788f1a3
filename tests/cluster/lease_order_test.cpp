// SPDX-License-Identifier: Apache-2.0
// Several workers want one lease: in which order they get it, and what of those that don't come.
#include "convene/postgres_lock_manager.hpp"
#include "convene/postgres_store.hpp"
#include "convene/task_scope.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "postgres/connector.hpp"
#include "store/store.hpp"
#include "support/postgres_schema.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

/// Much longer than anything here takes; reaching it is a failure.
constexpr auto patience = 20s;

constexpr int workers = 6;

class leases_of_many_workers : public testing::Test {
   protected:
    void SetUp() override {
        postgres_options options;
        options.address = schema_.address();
        store_ = open_postgres_store(options).value();
        for (int i = 0; i < workers; ++i) {
            open("worker-" + std::to_string(i) + '-' + std::to_string(::getpid()));
        }
        listen();
        for (int i = 0; i < workers; ++i) {
            expect_listening(i);
        }
    }

    void TearDown() override {
        for (const std::unique_ptr<postgres_lock_manager>& one : locks_) {
            const result<> closed = run(one->close(soon()));
            EXPECT_TRUE(closed) << closed.error();
        }
        ear_.reset();
        loop_.run_until_done(store_->close());
    }

    template <class T>
    T run(awaitable<T> work) {
        return loop_.run_until_done(std::move(work));
    }

    [[nodiscard]] deadline soon() const { return deadline{loop_.now() + patience}; }

    [[nodiscard]] lock_manager* worker(int number) {
        return locks_.at(static_cast<std::size_t>(number)).get();
    }

    /// The first is the name that everybody wants.
    [[nodiscard]] static lease_name claim(int number = 0) {
        return lease_name::delivery(
            organization_id{"acme-" + std::to_string(::getpid())}, room_id{std::to_string(number)}
        );
    }

    [[nodiscard]] static std::string key(int number = 0) {
        return std::to_string(claim(number).key());
    }

    std::unique_ptr<lease> must_acquire(int number, lease_name name = claim()) {
        return run(worker(number)->acquire(std::move(name), soon())).value();
    }

    /// Takes the lease, notes whose it is and how many others had their turn meanwhile, and gives it back.
    awaitable<void> take_turn(int number) {
        const deadline until = soon();
        const std::size_t before = served_.size();
        const auto held = co_await worker(number)->acquire(claim(), until);
        EXPECT_TRUE(held) << number << ": " << held.error();
        if (held) {
            most_others_ = std::max(most_others_, served_.size() - before);
            served_.push_back(number);
            were_wanted_.push_back((*held)->is_wanted());
            const result<> slept = co_await sleep_for(5ms);
            static_cast<void>(slept);  // nothing cancels it
            const result<> released = co_await (*held)->release();
            EXPECT_TRUE(released) << released.error();
        }
    }

    awaitable<void> take_turns(int number, int times) {
        for (int i = 0; i < times; ++i) {
            co_await take_turn(number);
        }
    }

    awaitable<void> wait_in_vain(int number) {
        const deadline until = soon();
        const auto held = co_await worker(number)->acquire(claim(), until);
        EXPECT_EQ(held.error(), errc::cancelled);
    }

    /// Until so many sessions have said this of the lease.
    void expect_said(const std::string& channel, std::size_t sessions) {
        const result<> heard = run(with_deadline(soon(), listen_until([&] {
                                                     return said_by_[channel].size() >= sessions;
                                                 })));
        EXPECT_TRUE(heard) << channel << ": " << heard.error();
    }

    void expect_waiting(std::size_t sessions) { expect_said("convene_wanted", sessions); }

    /// Until its holder hears it.
    void expect_wanted(lease& held) {
        wait_flag told;
        held.when_wanted([&told] { told.set(); });
        const result<> heard = run(with_deadline(soon(), until_set(&told)));
        EXPECT_TRUE(heard) << heard.error();
        held.when_wanted(nullptr);
    }

    void say(const std::string& channel, const std::string& payload) {
        admin_->forget_failure();
        EXPECT_TRUE(admin_->value_of<std::int64_t>(
            "SELECT count(pg_notify(?1, ?2)::text)", channel, payload
        ));
    }

    /// As a worker that is alive and never tries.
    awaitable<void> say_again_and_again(std::string channel, std::string payload) {
        for (;;) {
            say(channel, payload);
            const result<> slept = co_await sleep_for(50ms);
            if (!slept) {
                break;
            }
        }
    }

    /// A worker hears others some time after its start.
    void expect_listening(int number) {
        const int of_its_own = 1000 + number;
        const auto held = must_acquire(number, claim(of_its_own));
        task_scope talking{loop_};
        talking.spawn("talk", say_again_and_again("convene_wanted", key(of_its_own)));
        expect_wanted(*held);
        talking.request_stop();
        loop_.run_until_done(talking.join());
        EXPECT_TRUE(run(held->release()));
    }

    std::vector<int> served_;
    std::vector<bool> were_wanted_;  ///< when they were served
    std::size_t most_others_ = 0;

   private:
    void open(const std::string& name) {
        const incarnation_id incarnation{name};
        ops::register_worker request;
        request.worker.incarnation = incarnation;
        const auto registered = run(store_->run(std::move(request)));
        EXPECT_TRUE(registered) << registered.error();
        // Before the loop goes on: the workers that are there would find that a worker without a connection is dead.
        alive_.push_back(postgres::session::open(of_test(incarnation)).value());
        locks_.push_back(make_postgres_lock_manager(loop_, {schema_.address(), incarnation, 4}));
        const result<> started = run(locks_.back()->start());
        EXPECT_TRUE(started) << started.error();
    }

    void listen() {
        ear_ = run(opener_.open(postgres::session_kind::leases)).value();
        postgres::request sent;
        sent.add("LISTEN convene_wanted");
        sent.add("LISTEN convene_released");
        EXPECT_TRUE(run(ear_->run(std::move(sent))));
    }

    awaitable<result<>> listen_until(std::function<bool()> is_enough) {
        while (!is_enough()) {
            const auto came = co_await ear_->wait_for_notifications();
            if (!came) {
                co_return came.error();
            }
            for (const postgres::notification& one : *came) {
                if (one.payload.starts_with(key())) {
                    said_by_[one.channel].insert(one.session);
                }
            }
        }
        co_return result<>{};
    }

   protected:
    postgres_schema schema_;
    loop loop_;

   private:
    postgres::session_options of_test(const incarnation_id& incarnation = {}) {
        postgres::session_options options;
        options.address = schema_.address();
        options.incarnation = incarnation;
        return options;
    }

    std::unique_ptr<postgres::session> admin_ = schema_.connect();
    postgres::connector opener_{loop_, of_test()};
    std::unique_ptr<postgres::connection> ear_;
    std::unique_ptr<conversation_store> store_;
    std::vector<std::unique_ptr<postgres::session>> alive_;
    std::vector<std::unique_ptr<postgres_lock_manager>> locks_;

    std::map<std::string, std::set<int>> said_by_;  ///< sessions, by channel
};

using turns = std::vector<int>;

// Everybody has its turn in each round, however many want the lease again and again, also where several of them are in one
// process. (A worker that stands still for a while, with all the machine, may lose its place once.)
// Proves: L3, D11
TEST_F(leases_of_many_workers, NobodyIsPassedOverAgainAndAgain) {
    constexpr std::size_t contenders = workers + 2;
    task_scope contending{loop_};
    for (const int number : {0, 0, 0, 1, 2, 3, 4, 5}) {
        contending.spawn("contend", take_turns(number, 10));
    }
    loop_.run_until_done(contending.join());
    EXPECT_EQ(served_.size(), 10 * contenders);
    EXPECT_LE(most_others_, 2 * (contenders - 1));
}

// Who gets a lease that others wait for knows at once that it is wanted, before they say so again.
// Proves: L3, D11
TEST_F(leases_of_many_workers, TheNextOneKnowsThatOthersWait) {
    auto held = must_acquire(0);
    task_scope waiting{loop_};
    waiting.spawn("next", take_turn(1));
    waiting.spawn("and the one after it", take_turn(2));
    expect_waiting(2);
    EXPECT_TRUE(run(held->release()));
    held.reset();
    loop_.run_until_done(waiting.join());
    EXPECT_EQ(were_wanted_, (std::vector{true, false}));
}

// The next in line is alive, says that it waits all the time, and never takes the lease: the others get it all the same,
// one after the other.
// Proves: L3
TEST_F(leases_of_many_workers, ANextOneThatDoesNotComeHoldsNobodyUp) {
    auto held = must_acquire(0);
    task_scope talking{loop_};
    talking.spawn("talk", say_again_and_again("convene_wanted", key() + " 60000"));
    expect_waiting(1);
    task_scope waiting{loop_};
    for (int i = 1; i < workers; ++i) {
        waiting.spawn("wait", take_turn(i));
    }
    expect_waiting(workers);
    EXPECT_TRUE(run(held->release()));
    held.reset();
    loop_.run_until_done(waiting.join());
    EXPECT_EQ(served_.size(), 1U * (workers - 1));
    talking.request_stop();
    loop_.run_until_done(talking.join());
}

// The next in line gives up without a word.
// Proves: L3
TEST_F(leases_of_many_workers, ANextOneThatHasGivenUpHoldsNobodyUp) {
    auto held = must_acquire(0);
    task_scope giving_up{loop_};
    giving_up.spawn("give up", wait_in_vain(1));
    expect_waiting(1);
    task_scope waiting{loop_};
    waiting.spawn("wait", take_turn(2));
    expect_waiting(2);
    giving_up.request_stop();
    loop_.run_until_done(giving_up.join());
    EXPECT_TRUE(run(held->release()));
    held.reset();
    loop_.run_until_done(waiting.join());
    EXPECT_EQ(served_, turns{2});
}

// Those who wait hear of a lease that is dropped as of one that is given back.
// Proves: L3
TEST_F(leases_of_many_workers, ALeaseThatIsDroppedIsSaidToBeFree) {
    auto held = must_acquire(0);
    task_scope waiting{loop_};
    waiting.spawn("wait", take_turn(1));
    expect_wanted(*held);
    held.reset();
    loop_.run_until_done(waiting.join());
    EXPECT_EQ(served_, turns{1});
    // Whoever dropped it, and the one that had it next.
    expect_said("convene_released", 2);
}

// Workers of two releases talk to each other: what is new stands behind the key, where older ones do not look, and what
// is newer than this one is passed over.
// Proves: L3
TEST_F(leases_of_many_workers, WordsOfOtherReleasesAreUnderstood) {
    int number = 1;
    for (const std::string more :
         {"", " 10 and more", " something else", " -1", " 99999999999999999999"}) {
        const auto held = must_acquire(0, claim(number));
        EXPECT_FALSE(held->is_wanted()) << more;
        say("convene_wanted", key(number) + more);
        expect_wanted(*held);
        say("convene_released", key(number) + more);
        EXPECT_TRUE(run(held->release()));
        ++number;
    }
}

// Who tries once is heard by the holder, and takes no place: the next one is not told that somebody waits.
// Proves: L3
TEST_F(leases_of_many_workers, WhoTriesOnceDoesNotStandInLine) {
    const auto held = must_acquire(0);
    EXPECT_EQ(run(worker(1)->try_acquire(claim())).error(), errc::lease_busy);
    expect_wanted(*held);
    EXPECT_TRUE(run(held->release()));
    const auto next = must_acquire(0);
    EXPECT_FALSE(next->is_wanted());
    EXPECT_TRUE(run(next->release()));
}

}  // namespace

}  // namespace convene
