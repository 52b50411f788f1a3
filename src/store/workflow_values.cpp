// SPDX-License-Identifier: Apache-2.0
// The words of workflows, executions and notifications.
#include "store/workflow_values.hpp"

#include "base/enumerator_of.hpp"

namespace convene {

std::string_view word_of(workflow_status status) noexcept {
    switch (status) {
        case workflow_status::generating:
            return "generating";
        case workflow_status::draft:
            return "draft";
        case workflow_status::failed:
            return "failed";
        case workflow_status::published:
            return "published";
        case workflow_status::modified:
            return "modified";
    }
    return {};
}

std::string_view word_of(execution_status status) noexcept {
    switch (status) {
        case execution_status::running:
            return "running";
        case execution_status::completed:
            return "completed";
        case execution_status::failed:
            return "failed";
        case execution_status::cancelled:
            return "cancelled";
    }
    return {};
}

std::string_view word_of(execution_task_status status) noexcept {
    switch (status) {
        case execution_task_status::pending:
            return "pending";
        case execution_task_status::in_progress:
            return "in_progress";
        case execution_task_status::completed:
            return "completed";
        case execution_task_status::failed:
            return "failed";
        case execution_task_status::skipped:
            return "skipped";
    }
    return {};
}

std::string_view word_of(task_error_kind kind) noexcept {
    switch (kind) {
        case task_error_kind::api_error:
            return "api_error";
        case task_error_kind::timeout:
            return "timeout";
        case task_error_kind::script_error:
            return "script_error";
        case task_error_kind::invalid_input:
            return "invalid_input";
        case task_error_kind::permission_denied:
            return "permission_denied";
        case task_error_kind::rejected:
            return "rejected";
        case task_error_kind::other:
            return "other";
    }
    return {};
}

std::optional<task_error_kind> task_error_kind_from(std::string_view word) noexcept {
    return enumerator_of(word, task_error_kind::api_error);
}

std::string_view word_of(tool_decision decision) noexcept {
    switch (decision) {
        case tool_decision::allowed:
            return "allowed";
        case tool_decision::denied:
            return "denied";
        case tool_decision::mocked:
            return "mocked";
    }
    return {};
}

std::string_view word_of(notification_kind kind) noexcept {
    switch (kind) {
        case notification_kind::draft_ready:
            return "draft_ready";
        case notification_kind::generation_failed:
            return "generation_failed";
        case notification_kind::approval_request:
            return "approval_request";
        case notification_kind::execution_completed:
            return "execution_completed";
    }
    return {};
}

}  // namespace convene
