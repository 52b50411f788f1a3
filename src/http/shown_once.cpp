// SPDX-License-Identifier: Apache-2.0
// Remembering that something was made, and not its secret.
#include "http/shown_once.hpp"

#include "convene/wait.hpp"

#include <utility>

#include "base/hash.hpp"
#include "store/operations/access.hpp"

namespace convene {

namespace {

problem shown_once_problem(const std::string& id, const std::string& remedy) {
    return conflict_problem(
        "SECRET_SHOWN_ONCE",
        "this key made " + id +
            " before; its secret was in the first answer and is not kept: " + remedy
    );
}

awaitable<handled> make_and_remember(
    conversation_store* store,
    ops::request_key key,
    std::int64_t attempt,
    make_with_secret make,
    route_call call
) {
    or_problem<made_with_secret> made = co_await make(std::move(call));
    if (!made) {
        ops::abandon_request undone{std::move(key), attempt};
        const auto abandoned = co_await store->run(std::move(undone));
        static_cast<void>(abandoned);  // else it is given up when its patience is over
        co_return made.error();
    }
    ops::finish_request done{std::move(key), attempt, made->answer.status, made->id};
    const auto finished = co_await store->run(std::move(done));
    static_cast<void>(finished
    );  // it was made: that is the answer, whatever a repetition will be told
    co_return std::move(made->answer);
}

awaitable<handled> once(
    conversation_store* store, route_call call, std::string remedy, make_with_secret make
) {
    if (call.idempotency_key.empty()) {
        or_problem<made_with_secret> made = co_await make(std::move(call));
        if (!made) {
            co_return made.error();
        }
        co_return std::move(made->answer);
    }
    ops::begin_request beginning;
    beginning.key.organization = call.who.organization;
    beginning.key.route = std::string{word_of(call.matched->method)} + ' ' + call.request.path +
                          '\n' + call.who.rate_key();
    beginning.key.key = call.idempotency_key;
    beginning.request_hash = to_hex(sha256(call.body->canonical()));
    ops::request_key key = beginning.key;
    const auto begun = co_await store->run(std::move(beginning));
    if (!begun) {
        co_return problem_of(begun.error());
    }
    if (begun->state == ops::request_state::running) {
        co_return problem_of(make_error_code(errc::duplicate_key));
    }
    if (begun->state == ops::request_state::finished) {
        co_return shown_once_problem(begun->body, remedy);
    }
    auto making = make_and_remember(
        store, std::move(key), begun->attempt, std::move(make), std::move(call)
    );
    handled answer = co_await shielded(std::move(making));
    co_return answer;
}

}  // namespace

route_handler once_for_each_key(
    conversation_store* store, std::string remedy, make_with_secret make
) {
    return [store, remedy = std::move(remedy), make = std::move(make)](route_call call) {
        return once(store, std::move(call), remedy, make);
    };
}

}  // namespace convene
