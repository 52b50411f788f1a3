// SPDX-License-Identifier: Apache-2.0
// Outgoing HTTP by libcurl: it says which sockets and which time it waits for, and the loop waits.
#include "net/http_client.hpp"

#include "convene/wait.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <algorithm>
#include <arpa/inet.h>
#include <cstdint>
#include <curl/curl.h>
#include <map>
#include <optional>
#include <string_view>
#include <sys/socket.h>
#include <utility>

#include "base/assert.hpp"
#include "base/log.hpp"
#include "runtime/loop_reactor.hpp"

namespace convene {

namespace {

using boost::asio::posix::stream_descriptor;

constexpr std::size_t max_reply_head = 64U << 10U;

/// Of a streamed body: then curl pauses, and the sender with it.
constexpr std::size_t max_unread = 64U << 10U;

struct close_easy {
    void operator()(CURL* easy) const noexcept { curl_easy_cleanup(easy); }
};

struct close_multi {
    void operator()(CURLM* multi) const noexcept { curl_multi_cleanup(multi); }
};

struct free_list {
    void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};

struct free_url {
    void operator()(CURLU* url) const noexcept { curl_url_cleanup(url); }
};

void start_library_once() {
    static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
    CONVENE_ASSERT(started == CURLE_OK, "libcurl does not start");
}

std::optional<net_address> address_in(const sockaddr& address) {
    if (address.sa_family == AF_INET) {
        const auto& four = reinterpret_cast<const sockaddr_in&>(address);
        return net_address::v4(ntohl(four.sin_addr.s_addr));
    }
    if (address.sa_family == AF_INET6) {
        const auto& six = reinterpret_cast<const sockaddr_in6&>(address);
        net_address::bytes value;
        std::copy_n(six.sin6_addr.s6_addr, value.size(), value.begin());
        return net_address::v6(value);
    }
    return std::nullopt;
}

/// The host that a URL names; nothing if it is no URL of ours.
std::optional<std::string> host_of(const std::string& url) {
    const std::unique_ptr<CURLU, free_url> parsed{curl_url()};
    const auto refuses = CURLU_DISALLOW_USER;
    if (url.find('\0') != std::string::npos ||
        curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), refuses) != CURLUE_OK) {
        return std::nullopt;
    }
    char* scheme = nullptr;
    char* host = nullptr;
    std::optional<std::string> found;
    if (curl_url_get(parsed.get(), CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
        curl_url_get(parsed.get(), CURLUPART_HOST, &host, 0) == CURLUE_OK) {
        const std::string_view word{scheme};
        if (word == "http" || word == "https") {
            found = host;
        }
    }
    curl_free(scheme);
    curl_free(host);
    return found;
}

bool is_field(std::string_view name, std::string_view value) noexcept {
    const auto ends_line = [](char c) { return c == '\r' || c == '\n' || c == '\0'; };
    return !name.empty() && name.find(':') == std::string_view::npos &&
           std::ranges::none_of(name, ends_line) && std::ranges::none_of(value, ends_line);
}

enum class body_form : std::uint8_t {
    whole,     ///< collected in the reply
    streamed,  ///< read piece by piece
};

/// One call: what curl is told and what it brings.
struct transfer {
    transfer(const address_policy& allowed, http_call sent, body_form form)
        : policy(allowed), call(std::move(sent)), body(form), easy(curl_easy_init()) {}

    result<> prepare(const http_client_settings& settings);
    result<> outcome(CURLcode code) const;
    int status() const;
    void resume();
    std::size_t take_piece(std::string_view piece);

    static std::size_t take_header(char* bytes, std::size_t, std::size_t size, void* self);
    static std::size_t take_body(char* bytes, std::size_t, std::size_t size, void* self);
    static curl_socket_t open_socket(void* self, curlsocktype, curl_sockaddr* address);

    const address_policy& policy;
    http_call call;
    const body_form body;
    std::string host;
    std::unique_ptr<curl_slist, free_list> lines;
    std::unique_ptr<CURL, close_easy> easy;

    http_reply reply;
    std::size_t head_bytes = 0;
    bool is_too_large = false;
    bool is_refused = false;  ///< an address was
    bool has_opened = false;  ///< a socket to another was
    result<> ended;
    wait_flag done;

    // of a streamed body
    std::string unread;
    bool has_head = false;   ///< status and headers are whole
    bool is_paused = false;  ///< curl holds a piece back until what is unread was taken
    wait_flag changed;       ///< notified when the head, a piece or the end came
};

result<> transfer::prepare(const http_client_settings& settings) {
    std::optional<std::string> named = host_of(call.url);
    if (!named) {
        return errc::invalid_argument;
    }
    host = std::move(*named);
    // An empty Expect keeps curl from waiting for a go-ahead that few servers give.
    curl_slist* list = curl_slist_append(nullptr, "Expect:");
    if (!call.headers.find("content-type")) {
        list = curl_slist_append(list, "Content-Type:");
    }
    lines.reset(list);
    for (const auto& [name, value] : call.headers.all()) {
        if (!is_field(name, value)) {
            return errc::invalid_argument;
        }
        // A field without a value is spelled with a semicolon, or it would be taken away.
        const std::string line = value.empty() ? name + ";" : name + ": " + value;
        curl_slist_append(list, line.c_str());
    }
    CURL* const handle = easy.get();
    curl_easy_setopt(handle, CURLOPT_PRIVATE, this);
    curl_easy_setopt(handle, CURLOPT_URL, call.url.c_str());
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(handle, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
    // Not even one that the environment names: the check below must see the real address.
    curl_easy_setopt(handle, CURLOPT_PROXY, "");
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    // A call that is given up must not wait for its resolving thread.
    curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(handle, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
    if (!settings.ca_file.empty()) {
        curl_easy_setopt(handle, CURLOPT_CAINFO, settings.ca_file.c_str());
    }
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, list);
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, &transfer::open_socket);
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, this);
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, &transfer::take_header);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &transfer::take_body);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, this);
    if (call.method == http_method::head) {
        curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
    } else if (call.method != http_method::get || !call.body.empty()) {
        curl_easy_setopt(
            handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call.body.size())
        );
        curl_easy_setopt(handle, CURLOPT_POSTFIELDS, call.body.data());
        curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, std::string{word_of(call.method)}.c_str());
    }
    return {};
}

curl_socket_t transfer::open_socket(void* self, curlsocktype, curl_sockaddr* address) {
    auto& owner = *static_cast<transfer*>(self);
    const std::optional<net_address> to = address_in(address->addr);
    if (!to || !owner.policy.allows(owner.host, *to)) {
        owner.is_refused = true;
        return CURL_SOCKET_BAD;
    }
    owner.has_opened = true;
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

std::size_t transfer::take_header(char* bytes, std::size_t, std::size_t size, void* self) {
    auto& owner = *static_cast<transfer*>(self);
    owner.head_bytes += size;
    if (owner.head_bytes > max_reply_head) {
        owner.is_too_large = true;
        return 0;
    }
    std::string_view line{bytes, size};
    while (line.ends_with('\n') || line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    if (line.starts_with("HTTP/")) {
        // What came before was an interim answer.
        owner.reply.headers = {};
        return size;
    }
    constexpr int first_final_status = 200;
    if (line.empty() && owner.status() >= first_final_status) {
        owner.has_head = true;
        owner.changed.notify_all();
        return size;
    }
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos) {
        std::string name{line.substr(0, colon)};
        std::ranges::transform(name, name.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        });
        std::string_view value = line.substr(colon + 1);
        value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
        owner.reply.headers.add(std::move(name), std::string{value});
    }
    return size;
}

std::size_t transfer::take_body(char* bytes, std::size_t, std::size_t size, void* self) {
    auto& owner = *static_cast<transfer*>(self);
    if (owner.body == body_form::streamed) {
        return owner.take_piece({bytes, size});
    }
    if (size > owner.call.max_reply - owner.reply.body.size()) {
        owner.is_too_large = true;
        return 0;
    }
    owner.reply.body.append(bytes, size);
    return size;
}

/// A piece that does not fit is not taken: curl keeps it and brings it again after `resume`.
std::size_t transfer::take_piece(std::string_view piece) {
    if (!unread.empty() && piece.size() > max_unread - std::min(unread.size(), max_unread)) {
        is_paused = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    unread += piece;
    changed.notify_all();
    return piece.size();
}

void transfer::resume() {
    if (std::exchange(is_paused, false)) {
        curl_easy_pause(easy.get(), CURLPAUSE_CONT);
    }
}

int transfer::status() const {
    long status = 0;
    curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
    return static_cast<int>(status);
}

result<> transfer::outcome(CURLcode code) const {
    if (code == CURLE_OK) {
        return {};
    }
    if (is_too_large) {
        return errc::payload_too_large;
    }
    if (is_refused && !has_opened) {
        return errc::not_authorized;
    }
    long sent = 0;
    curl_easy_getinfo(easy.get(), CURLINFO_REQUEST_SIZE, &sent);
    switch (code) {
        case CURLE_URL_MALFORMAT:
        case CURLE_UNSUPPORTED_PROTOCOL:
            return errc::invalid_argument;
        case CURLE_COULDNT_RESOLVE_HOST:
        case CURLE_COULDNT_CONNECT:
            return errc::unavailable;
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_SSL_CACERT_BADFILE:
            return errc::io_failed;
        default:
            return sent == 0 ? errc::connection_lost : errc::outcome_unknown;
    }
}

/// A socket of curl's, as the reactor sees it. Shared by curl's interest and by waits that have not come back.
struct watched_socket {
    watched_socket(boost::asio::io_context& reactor, curl_socket_t descriptor)
        : number(descriptor), waits(reactor, descriptor) {}

    curl_socket_t number;
    stream_descriptor waits;
    int wanted = CURL_POLL_NONE;
    bool is_reading = false;
    bool is_writing = false;
    bool is_removed = false;
};

}  // namespace

class http_client::implementation final : private timer {
   public:
    implementation(loop& where, http_client_settings settings)
        : where_(where), settings_(std::move(settings)) {
        start_library_once();
        multi_.reset(curl_multi_init());
        curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &implementation::on_socket);
        curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
        curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &implementation::on_timer);
        curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
        curl_multi_setopt(
            multi_.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(settings_.kept_connections)
        );
        curl_multi_setopt(
            multi_.get(),
            CURLMOPT_MAX_TOTAL_CONNECTIONS,
            static_cast<long>(settings_.most_connections)
        );
    }

    ~implementation() {
        CONVENE_ASSERT(under_way_ == 0, "an HTTP client was destroyed with calls under way");
        multi_.reset();
        while (!sockets_.empty()) {
            forget(sockets_.begin()->first);
        }
    }

    awaitable<result<http_reply>> send(http_call call, deadline until) {
        transfer sent{settings_.policy, std::move(call), body_form::whole};
        const result<> prepared = sent.prepare(settings_);
        if (!prepared) {
            co_return prepared.error();
        }
        const attached_transfer attached{*this, sent};
        const result<> waited = co_await with_deadline(until, until_set(&sent.done));
        if (!waited) {
            co_return waited.error();
        }
        if (!sent.ended) {
            log_failure(sent);
            co_return sent.ended.error();
        }
        sent.reply.status = sent.status();
        co_return std::move(sent.reply);
    }

    awaitable<result<std::unique_ptr<http_reply_stream>>> open(http_call call, deadline until) {
        auto opened = std::make_unique<streamed_reply>(*this, std::move(call));
        const result<> begun = co_await opened->begin(until);
        if (!begun) {
            co_return begun.error();
        }
        co_return std::unique_ptr<http_reply_stream>{std::move(opened)};
    }

   private:
    static void log_failure(const transfer& sent) {
        log(log_level::debug,
            "http_call_failed",
            {{"host", std::string_view{sent.host}}, {"error", sent.ended.error()}});
    }

    /// A transfer that curl works on. Detaching aborts it; curl's callbacks never destroy one.
    class attached_transfer {
       public:
        attached_transfer(implementation& owner, transfer& sent) : owner_(owner), sent_(sent) {
            ++owner_.under_way_;
            curl_multi_add_handle(owner_.multi_.get(), sent_.easy.get());
        }

        attached_transfer(const attached_transfer&) = delete;
        attached_transfer& operator=(const attached_transfer&) = delete;

        ~attached_transfer() {
            curl_multi_remove_handle(owner_.multi_.get(), sent_.easy.get());
            --owner_.under_way_;
        }

       private:
        implementation& owner_;
        transfer& sent_;
    };

    class streamed_reply final : public http_reply_stream {
       public:
        streamed_reply(implementation& owner, http_call call)
            : owner_(owner), sent_(owner.settings_.policy, std::move(call), body_form::streamed) {}

        [[nodiscard]] int status() const noexcept override { return sent_.status(); }

        [[nodiscard]] const http_headers& headers() const noexcept override {
            return sent_.reply.headers;
        }

        /// Sends the request and waits for the head.
        awaitable<result<>> begin(deadline until) {
            const result<> prepared = sent_.prepare(owner_.settings_);
            if (!prepared) {
                co_return prepared;
            }
            attached_.emplace(owner_, sent_);
            while (!sent_.has_head && !sent_.done.is_set()) {
                const result<> waited = co_await with_deadline(until, until_set(&sent_.changed));
                if (!waited) {
                    co_return waited;
                }
            }
            if (!sent_.has_head) {
                log_failure(sent_);
                co_return sent_.ended;
            }
            co_return result<>{};
        }

        awaitable<result<std::string>> read(deadline until) override {
            while (sent_.unread.empty() && !sent_.done.is_set()) {
                const result<> waited = co_await with_deadline(until, until_set(&sent_.changed));
                if (!waited) {
                    co_return waited.error();
                }
            }
            std::string piece = std::exchange(sent_.unread, {});
            if (piece.empty() && !sent_.ended) {
                log_failure(sent_);
                co_return errc::connection_closed;
            }
            sent_.resume();
            co_return piece;
        }

       private:
        implementation& owner_;
        transfer sent_;
        std::optional<attached_transfer> attached_;  // last: curl knows the transfer
    };

    static int on_timer(CURLM*, long wait, void* self) {
        auto& owner = *static_cast<implementation*>(self);
        // Never from here: curl is not to be entered again from its own callback.
        if (wait < 0) {
            owner.timer::unlink();
        } else {
            owner.where_.arm(owner, owner.where_.now() + milliseconds{wait});
        }
        return 0;
    }

    static int on_socket(CURL*, curl_socket_t number, int wanted, void* self, void*) {
        auto& owner = *static_cast<implementation*>(self);
        if (wanted == CURL_POLL_REMOVE) {
            owner.forget(number);
            return 0;
        }
        auto found = owner.sockets_.find(number);
        if (found == owner.sockets_.end()) {
            auto made = std::make_shared<watched_socket>(loop_reactor::of(owner.where_), number);
            found = owner.sockets_.emplace(number, std::move(made)).first;
        }
        found->second->wanted = wanted;
        owner.watch(found->second);
        return 0;
    }

    void expired() noexcept override { act(CURL_SOCKET_TIMEOUT, 0); }

    void act(curl_socket_t number, int ready) {
        int running = 0;
        curl_multi_socket_action(multi_.get(), number, ready, &running);
        int left = 0;
        while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
            if (message->msg != CURLMSG_DONE) {
                continue;
            }
            const CURLcode code = message->data.result;
            transfer* ended = nullptr;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &ended);
            ended->ended = ended->outcome(code);
            ended->done.set();
            ended->changed.notify_all();
        }
    }

    /// Waits for what curl wants and is not waited for yet.
    void watch(const std::shared_ptr<watched_socket>& socket) {
        if ((socket->wanted & CURL_POLL_IN) != 0 && !socket->is_reading) {
            socket->is_reading = true;
            socket->waits.async_wait(
                stream_descriptor::wait_read,
                [this, socket](const error_code& failure) {
                    socket->is_reading = false;
                    ready(socket, failure, CURL_POLL_IN, CURL_CSELECT_IN);
                }
            );
        }
        if ((socket->wanted & CURL_POLL_OUT) != 0 && !socket->is_writing) {
            socket->is_writing = true;
            socket->waits.async_wait(
                stream_descriptor::wait_write,
                [this, socket](const error_code& failure) {
                    socket->is_writing = false;
                    ready(socket, failure, CURL_POLL_OUT, CURL_CSELECT_OUT);
                }
            );
        }
    }

    void ready(
        const std::shared_ptr<watched_socket>& socket,
        const error_code& failure,
        int interest,
        int event
    ) {
        // Of a removed socket nothing is left but this wait, and the client may be gone.
        if (socket->is_removed) {
            return;
        }
        if ((socket->wanted & interest) != 0) {
            act(socket->number, failure ? CURL_CSELECT_ERR : event);
        }
        if (!socket->is_removed) {
            watch(socket);
        }
    }

    void forget(curl_socket_t number) {
        const auto found = sockets_.find(number);
        if (found == sockets_.end()) {
            return;
        }
        found->second->is_removed = true;
        // The descriptor is curl's.
        found->second->waits.release();
        sockets_.erase(found);
    }

    // fixed after construction
    loop& where_;
    http_client_settings settings_;

    // touched on the loop only
    std::unique_ptr<CURLM, close_multi> multi_;
    std::map<curl_socket_t, std::shared_ptr<watched_socket>> sockets_;
    std::size_t under_way_ = 0;
};

http_client::http_client(loop& where, http_client_settings settings)
    : impl_(std::make_unique<implementation>(where, std::move(settings))) {}

http_client::~http_client() = default;

awaitable<result<http_reply>> http_client::send(http_call call, deadline until) {
    return impl_->send(std::move(call), until);
}

awaitable<result<std::unique_ptr<http_reply_stream>>> http_client::open(
    http_call call, deadline until
) {
    return impl_->open(std::move(call), until);
}

}  // namespace convene
