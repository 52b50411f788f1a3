// SPDX-License-Identifier: Apache-2.0
// Metrics of requests.
#include "http/request_metrics.hpp"

#include <fmt/format.h>

namespace convene {

namespace {

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\' || c == '"') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else {
            out += c;
        }
    }
    return out;
}

}  // namespace

void metrics_text::family(std::string_view name, std::string_view type, std::string_view help) {
    out_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void metrics_text::sample(std::string_view name, const labels& with, double value) {
    out_ += name;
    if (!with.empty()) {
        char opening = '{';
        for (const auto& [key, text] : with) {
            out_ += fmt::format("{}{}=\"{}\"", opening, key, escaped(text));
            opening = ',';
        }
        out_ += '}';
    }
    out_ += fmt::format(" {}\n", value);
}

void request_metrics::count(
    std::string_view method, std::string_view route, int status, std::chrono::microseconds took
) {
    ++answers_[{std::string{method}, std::string{route}, status}];
    durations& of_route = durations_[std::string{route}];
    const double seconds = std::chrono::duration<double>{took}.count();
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        if (seconds <= bounds[i]) {
            ++of_route.up_to[i];
        }
    }
    ++of_route.all;
    of_route.seconds += seconds;
}

void request_metrics::write(metrics_text& out) const {
    out.family("convene_http_requests_total", "counter", "Requests answered.");
    for (const auto& [key, number] : answers_) {
        const auto& [method, route, status] = key;
        out.sample(
            "convene_http_requests_total",
            {{"method", method}, {"route", route}, {"status", std::to_string(status)}},
            static_cast<double>(number)
        );
    }
    out.family("convene_http_request_duration_seconds", "histogram", "Until the answer was known.");
    for (const auto& [route, of_route] : durations_) {
        for (std::size_t i = 0; i < bounds.size(); ++i) {
            out.sample(
                "convene_http_request_duration_seconds_bucket",
                {{"route", route}, {"le", fmt::format("{}", bounds[i])}},
                static_cast<double>(of_route.up_to[i])
            );
        }
        const auto all = static_cast<double>(of_route.all);
        out.sample(
            "convene_http_request_duration_seconds_bucket", {{"route", route}, {"le", "+Inf"}}, all
        );
        out.sample(
            "convene_http_request_duration_seconds_sum", {{"route", route}}, of_route.seconds
        );
        out.sample("convene_http_request_duration_seconds_count", {{"route", route}}, all);
    }
}

}  // namespace convene
