// SPDX-License-Identifier: Apache-2.0
// The route table: a tree with a hash of literal segments in each node.
#include "http/route_table.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace convene {

namespace {

struct text_hash {
    using is_transparent = void;

    std::size_t operator()(std::string_view text) const noexcept {
        return std::hash<std::string_view>{}(text);
    }
};

std::vector<std::string_view> segments_of(std::string_view path) {
    std::vector<std::string_view> segments;
    path.remove_prefix(path.starts_with('/') ? 1 : 0);
    for (;;) {
        const std::size_t slash = path.find('/');
        segments.push_back(path.substr(0, slash));
        if (slash == std::string_view::npos) {
            return segments;
        }
        path.remove_prefix(slash + 1);
    }
}

bool is_parameter(std::string_view segment) {
    return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

}  // namespace

struct route_table::node {
    std::unordered_map<std::string, std::unique_ptr<node>, text_hash, std::equal_to<>> literal;
    std::unique_ptr<node> parameter;
    std::map<http_method, const route*> routes;

    using pairs = std::vector<std::pair<std::string, std::string>>;

    /// Goes back and takes the parameter where the literal led nowhere; patterns are few segments long.
    [[nodiscard]] const node* walk(
        const std::vector<std::string_view>& segments,
        std::size_t at,
        std::vector<std::string_view>& values
    ) const {
        if (at == segments.size()) {
            return routes.empty() ? nullptr : this;
        }
        const auto next = literal.find(segments[at]);
        if (next != literal.end()) {
            const node* const found = next->second->walk(segments, at + 1, values);
            if (found != nullptr) {
                return found;
            }
        }
        if (parameter == nullptr || segments[at].empty()) {
            return nullptr;
        }
        values.push_back(segments[at]);
        const node* const found = parameter->walk(segments, at + 1, values);
        if (found == nullptr) {
            values.pop_back();
        }
        return found;
    }
};

route_table::route_table() : root_(std::make_unique<node>()) {}

route_table::~route_table() = default;

void route_table::add(route added) {
    const bool is_known = std::ranges::any_of(routes_, [&](const auto& other) {
        return other->operation == added.operation;
    });
    CONVENE_ASSERT(!is_known, "two routes have the same operation");
    routes_.push_back(std::make_unique<route>(std::move(added)));
    const route* const stored = routes_.back().get();
    node* here = root_.get();
    for (const std::string_view segment : segments_of(stored->pattern)) {
        std::unique_ptr<node>& next = is_parameter(segment) ? here->parameter
                                                            : here->literal[std::string{segment}];
        if (next == nullptr) {
            next = std::make_unique<node>();
        }
        here = next.get();
    }
    const bool is_new = here->routes.emplace(stored->method, stored).second;
    CONVENE_ASSERT(is_new, "two routes have the same method and path");
}

route_table::match route_table::find(http_method method, std::string_view path) const {
    match answer;
    std::vector<std::string_view> values;
    const node* const end = root_->walk(segments_of(path), 0, values);
    if (end == nullptr) {
        return answer;
    }
    for (const auto& [known, stored] : end->routes) {
        answer.methods.push_back(known);
    }
    const http_method wanted = method == http_method::head ? http_method::get : method;
    const auto found = end->routes.find(wanted);
    if (found == end->routes.end()) {
        return answer;
    }
    answer.found = found->second;
    std::size_t next = 0;
    for (const std::string_view segment : segments_of(answer.found->pattern)) {
        if (is_parameter(segment)) {
            answer.path.emplace_back(segment.substr(1, segment.size() - 2), values[next++]);
        }
    }
    return answer;
}

std::string allowed_methods(std::vector<http_method> methods) {
    if (std::ranges::find(methods, http_method::get) != methods.end()) {
        methods.push_back(http_method::head);
    }
    methods.push_back(http_method::options);
    std::vector<std::string_view> words;
    for (const http_method method : methods) {
        words.push_back(word_of(method));
    }
    std::ranges::sort(words);
    std::string text;
    for (const std::string_view word : words) {
        text += text.empty() ? "" : ", ";
        text += word;
    }
    return text;
}

}  // namespace convene
