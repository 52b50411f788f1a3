// SPDX-License-Identifier: Apache-2.0
// Append file: whole writes, synced data, and a fresh line after a torn one.
#include "channel/append_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/log.hpp"

namespace convene {

namespace {

error_code log_failure(const char* call, const std::filesystem::path& file) {
    const std::error_code reason{errno, std::generic_category()};
    log(log_level::error,
        "delivery_file_failed",
        {{"file", file.native()}, {"call", call}, {"reason", reason.message()}});
    return errc::io_failed;
}

/// A new file survives a crash only once its name is on disk too.
bool sync_folder_of(const std::filesystem::path& file) {
    const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
        return false;
    }
    const bool synced = ::fsync(descriptor) == 0;
    ::close(descriptor);
    return synced;
}

bool ends_in_a_line(int descriptor) {
    const off_t size = ::lseek(descriptor, 0, SEEK_END);
    char last = '\n';
    return size <= 0 || (::pread(descriptor, &last, 1, size - 1) == 1 && last == '\n');
}

}  // namespace

result<std::shared_ptr<append_file>> append_file::open(const std::filesystem::path& file) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
    if (descriptor < 0) {
        return log_failure("open", file);
    }
    std::shared_ptr<append_file> opened{new append_file{descriptor, file}};
    if (!sync_folder_of(file)) {
        return log_failure("fsync of its folder", file);
    }
    return opened;
}

append_file::append_file(int descriptor, std::filesystem::path file)
    : descriptor_(descriptor),
      file_(std::move(file)),
      is_at_line_start_(ends_in_a_line(descriptor)) {}

append_file::~append_file() { ::close(descriptor_); }

result<> append_file::append(std::string_view lines) {
    if (!is_at_line_start_) {
        const result<> ended = write_all("\n");
        if (!ended) {
            return ended;
        }
    }
    const result<> written = write_all(lines);
    if (!written) {
        return written;
    }
    if (::fdatasync(descriptor_) != 0) {
        return log_failure("fdatasync", file_);
    }
    return {};
}

result<> append_file::write_all(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return log_failure("write", file_);
        }
        const auto written = static_cast<std::size_t>(count);
        if (written > 0) {
            is_at_line_start_ = bytes[written - 1] == '\n';
        }
        bytes.remove_prefix(written);
    }
    return {};
}

}  // namespace convene
