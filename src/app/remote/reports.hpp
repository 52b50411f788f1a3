// SPDX-License-Identifier: Apache-2.0
// Answers of a server, read into the reports that commands print.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/remote/answer_fields.hpp"
#include "app/remote/api_client.hpp"
#include "app/remote/server_operation.hpp"

namespace convene {

/// Reads one report; what is missing shows in `fields`. `whole` is all of it: canonical JSON.
template <class Report>
using report_reader = Report (*)(answer_fields& fields, std::string_view whole);

/// The report that is the answer. *Errors*: how the server refused while it was `doing` something; the answer is not understood.
template <class Report>
outcome<Report> report_in(
    outcome<api_answer> answer,
    std::string_view doing,
    report_reader<Report> read,
    const server_address& server
) {
    const auto body = body_in(std::move(answer), doing);
    if (!body) {
        return body.error();
    }
    answer_fields fields{*body};
    Report report = read(fields, *body);
    if (fields.fault()) {
        return unknown_answer(*fields.fault(), server);
    }
    return report;
}

/// Those that the answer lists under `name`. *Errors*: as `report_in`.
template <class Report>
outcome<std::vector<Report>> reports_in(
    outcome<api_answer> answer,
    std::string_view doing,
    std::string_view name,
    report_reader<Report> read,
    const server_address& server
) {
    const auto body = body_in(std::move(answer), doing);
    if (!body) {
        return body.error();
    }
    std::vector<Report> reports;
    answer_fields fields{*body};
    for (const std::string_view element : fields.list(name)) {
        answer_fields one{element};
        reports.push_back(read(one, element));
        if (one.fault()) {
            fields.refuse(std::string{name} + "." + *one.fault());
            break;
        }
    }
    if (fields.fault()) {
        return unknown_answer(*fields.fault(), server);
    }
    return reports;
}

}  // namespace convene
