// SPDX-License-Identifier: Apache-2.0
// File channel: a delivery as a line, batched, written on the pool.
#include "convene/channels/file_channel.hpp"

#include "convene/blocking_pool.hpp"

#include <utility>

#include "base/json_writer.hpp"
#include "channel/append_file.hpp"
#include "channel/line_batcher.hpp"

namespace convene {

namespace {

std::string line_of(const delivery_request& request) {
    json_writer line;
    line.begin_object();
    line.key("v").integer(1);
    line.key("delivery").string(request.id.str());
    line.key("room").string(request.event.room.str());
    line.key("event").string(request.event.id.str());
    line.key("index").integer(request.event.index.value());
    line.key("attempt").integer(request.attempt);
    line.key("address").string(request.binding.address);
    line.key("text").string(readable_text(request.event.content));
    line.end_object();
    return line.take().str() + '\n';
}

/// The pool's function shares the file: it may outlive a channel whose loop was abandoned.
awaitable<result<>> write_on(
    blocking_pool* pool, std::shared_ptr<append_file> file, std::string lines
) {
    auto work = [file = std::move(file), lines = std::move(lines)] { return file->append(lines); };
    co_return co_await run_on(pool, std::move(work));
}

}  // namespace

class file_channel::implementation {
   public:
    implementation(
        channel_id id,
        std::shared_ptr<append_file> file,
        blocking_pool& pool,
        file_channel_settings with
    )
        : id_(std::move(id)),
          lines_(
              [&pool, file = std::move(file)](std::string lines) {
                  return write_on(&pool, file, std::move(lines));
              },
              with.most_lines_per_sync
          ) {}

    [[nodiscard]] const channel_id& id() const noexcept { return id_; }

    [[nodiscard]] line_batcher& lines() noexcept { return lines_; }

   private:
    const channel_id id_;
    line_batcher lines_;
};

result<std::shared_ptr<file_channel>> file_channel::open(
    channel_id id,
    const std::filesystem::path& file,
    blocking_pool& pool,
    file_channel_settings with
) {
    auto opened = append_file::open(file);
    if (!opened) {
        return opened.error();
    }
    auto impl = std::make_unique<implementation>(std::move(id), std::move(*opened), pool, with);
    return std::shared_ptr<file_channel>{new file_channel{std::move(impl)}};
}

file_channel::file_channel(std::unique_ptr<implementation> impl) : impl_(std::move(impl)) {}

file_channel::~file_channel() = default;

channel_id file_channel::id() const { return impl_->id(); }

awaitable<send_result> file_channel::deliver(delivery_request request) {
    const result<> written = co_await impl_->lines().add(line_of(request));
    if (written) {
        co_return send_result::sent();
    }
    if (written.error() == errc::overloaded) {
        co_return send_result::failed_for_now("overloaded", "too much waits for the disk");
    }
    co_return send_result::failed_for_now("write_failed", "the file could not be written");
}

}  // namespace convene
