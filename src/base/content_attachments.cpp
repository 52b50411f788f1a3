// SPDX-License-Identifier: Apache-2.0
// Finds `attachment:` URIs in the fields that are URLs, and nowhere else: a text may say what it likes.
#include "base/content_attachments.hpp"

#include <algorithm>
#include <string_view>

#include "base/canonical_json.hpp"
#include "base/value_forms.hpp"

namespace convene {

namespace {

constexpr std::string_view scheme = "attachment:";

void collect_url(std::string_view json, std::string_view field, std::vector<std::string>* into) {
    const std::string url = find_text(json, field).value_or("");
    if (!is_attachment_uri(url)) {
        return;
    }
    std::string id = url.substr(scheme.size());
    if (std::ranges::find(*into, id) == into->end()) {
        into->push_back(std::move(id));
    }
}

/// Content nests a few levels deep at most: the boundary has seen to that.
void collect(std::string_view json, std::vector<std::string>* into) {
    const auto type = content_type_of(find_text(json, "type").value_or(""));
    if (type == content_type::media || type == content_type::audio || type == content_type::video) {
        collect_url(json, "url", into);
        collect_url(json, "thumbnail_url", into);
    } else if (type == content_type::composite) {
        for (const std::string_view part : elements_of(find_member(json, "parts").value_or("[]"))) {
            collect(part, into);
        }
    } else if (type == content_type::edit) {
        collect(find_member(json, "new_content").value_or("{}"), into);
    }
}

}  // namespace

std::vector<std::string> attachments_in(const content& what) {
    std::vector<std::string> found;
    const std::string& json = what.json().str();
    // Almost no content names one: that is seen without taking it apart.
    if (json.find("\"attachment:") != std::string::npos) {
        collect(json, &found);
    }
    return found;
}

}  // namespace convene
