// SPDX-License-Identifier: Apache-2.0
// The HTTP surface with registered channels and subscriptions; the other ends of webhooks are played.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/registered_agent.hpp"
#include "http/resource/integration_routes.hpp"
#include "support/scripted_chat_model.hpp"
#include "unit/http/http_scene.hpp"
#include "unit/integration/played_receiver.hpp"

namespace convene {

class integration_scene : public http_scene {
   public:
    explicit integration_scene(rate_gate_settings rates = {1000, 1000}) : http_scene(rates) {
        for (route& one :
             integration_routes({kit.get(), &channels, &subscriptions, &world->clock, &box})) {
            surface->routes().add(std::move(one));
        }
    }

    /// Deliveries that still run use what is below.
    ~integration_scene() { loop.run(kit->close()); }

    integration_scene(const integration_scene&) = delete;
    integration_scene& operator=(const integration_scene&) = delete;

    /// A webhook channel of the organisation of ann; its answer.
    seen_reply register_channel(std::string more = {}) {
        return post(
            "/api/v1/channels",
            R"({"type":"webhook","url":"https://example.com/hook")" + more + "}",
            "adam"
        );
    }

    /// What a provider sends, signed with the text of a secret.
    [[nodiscard]] http_request webhook(
        const std::string& path, std::string body, const std::string& secret, std::string id = "m1"
    ) {
        http_request asked = request(
            http_method::post, "/api/v1/webhooks/webhook/" + path, "", std::move(body)
        );
        const auto parsed = webhook_secret::parse(secret);
        EXPECT_TRUE(parsed.has_value()) << secret;
        const webhook_headers headers = sign_webhook(
            std::move(id), world->clock.now(), asked.body, std::span{&*parsed, 1}
        );
        asked.headers.add(std::string{webhook_id_header}, headers.id);
        asked.headers.add(std::string{webhook_timestamp_header}, headers.timestamp);
        asked.headers.add(std::string{webhook_signature_header}, headers.signature);
        return asked;
    }

    /// An agent with a key, of the same organisation; its answer.
    seen_reply register_agent(std::string settings = {}, std::string more = {}) {
        return post(
            "/api/v1/channels",
            R"({"type":"agent","api_key":"sk-very-secret","agent":{"provider":"scripted")" +
                settings + "}" + more + "}",
            "adam"
        );
    }

    played_receiver receiver;
    std::vector<wanted_model> models;  ///< what clients of providers were made from
    secret_box box{deployment_key{}};
    int looks = 0;  ///< how often the pump was told to look again
    channel_service channels{channel_service_parts{
        kit.get(),
        &store,
        &world->clock,
        &system_random(),
        &box,
        receiver.sender(),
        {{"agent",
          [this](const registered_channel& stored, const std::string& key) {
              return make_registered_agent(stored, key, kit.get(), [this](const auto& wanted) {
                  return make_model(wanted);
              });
          }}}
    }};
    subscription_service subscriptions{subscription_service_parts{
        &store, &world->clock, &system_random(), &box, [this] { ++looks; }
    }};

   private:
    result<std::shared_ptr<chat_model>> make_model(const wanted_model& wanted) {
        models.push_back(wanted);
        if (wanted.provider != "scripted") {
            return errc::invalid_argument;
        }
        return std::make_shared<scripted_chat_model>(
            std::vector<model_script>{model_script{}.say("I am here.")}
        );
    }
};

}  // namespace convene
