// SPDX-License-Identifier: Apache-2.0
// The channel port: the three answers of a transport.
#include "convene/channel.hpp"

namespace convene {

namespace {

send_result failed(std::string code, std::string message) {
    send_result answer;
    answer.what = send_result::verdict::failed;
    answer.outcome.error_code = std::move(code);
    answer.outcome.error_message = std::move(message);
    return answer;
}

}  // namespace

send_result send_result::sent(std::string provider_message_id) {
    send_result answer;
    answer.outcome.provider_message_id = std::move(provider_message_id);
    return answer;
}

send_result send_result::failed_for_good(std::string code, std::string message) {
    return failed(std::move(code), std::move(message));
}

send_result send_result::failed_for_now(std::string code, std::string message) {
    send_result answer = failed(std::move(code), std::move(message));
    answer.outcome.is_retryable = true;
    return answer;
}

}  // namespace convene
