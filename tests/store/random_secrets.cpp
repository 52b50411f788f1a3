// SPDX-License-Identifier: Apache-2.0
// Drawing operations: secrets, and the skills that name them.
#include "store/random_operations.hpp"

namespace convene {

void random_operations::change_secrets() {
    const organization_id of = organization_of(any_room());
    ops::put_secret request;
    request.secret.organization = of;
    request.secret.name = secret_name{numbered("s", 4)};
    request.secret.value = any_key();
    request.secret.description = any_key();
    if (happens(60)) {
        both(request);
    } else {
        both(ops::delete_secret{of, request.secret.name, {}});
    }
    both(ops::list_secrets{of});
    both(ops::get_secret{of, secret_name{numbered("s", 4)}});
}

void random_operations::change_skills() {
    skill wanted;
    wanted.id = skill_id{numbered("k", 4)};
    wanted.organization = organization_of(any_room());
    const auto known = oracle_.run(ops::get_skill{wanted.organization, wanted.id});
    if (known && happens(20)) {
        both(ops::delete_skill{wanted.organization, wanted.id, {}});
        return;
    }
    if (known && happens(90)) {
        wanted = *known;
    }
    wanted.name = any_key();
    wanted.source.username = any_key();
    wanted.source.secret = happens(80) ? secret_name{numbered("s", 5)} : secret_name{};
    both(ops::put_skill{wanted, {}});
    both(ops::list_skills{wanted.organization, {}});
}

}  // namespace convene
