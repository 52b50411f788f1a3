// SPDX-License-Identifier: Apache-2.0
// Output file: partial, synced, renamed.
#include "app/output_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace convene {

namespace {

error_code last_error() { return error_code{errno, boost::system::system_category()}; }

failure cannot_write(const std::filesystem::path& file, const error_code& why) {
    return {
        exit_code::output_failed,
        "--output: can't write '" + file.native() + "': " + why.message(),
        "name a file in a folder that you may write, on a disk with free space"
    };
}

}  // namespace

outcome<std::unique_ptr<output_file>> output_file::create(const std::filesystem::path& file) {
    std::filesystem::path partial = file;
    partial += ".partial";
    const int descriptor = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
    if (descriptor < 0) {
        return cannot_write(file, last_error());
    }
    return std::unique_ptr<output_file>{new output_file{descriptor, file, std::move(partial)}};
}

output_file::output_file(int descriptor, std::filesystem::path file, std::filesystem::path partial)
    : descriptor_(descriptor),
      file_(std::move(file)),
      partial_(std::move(partial)),
      stream_(descriptor) {}

output_file::~output_file() {
    ::close(descriptor_);
    if (!is_finished_) {
        ::unlink(partial_.c_str());
    }
}

outcome<> output_file::finish() {
    stream_.flush();
    if (stream_.error()) {
        return cannot_write(file_, stream_.error());
    }
    if (::fsync(descriptor_) != 0 || ::rename(partial_.c_str(), file_.c_str()) != 0) {
        return cannot_write(file_, last_error());
    }
    is_finished_ = true;
    return {};
}

}  // namespace convene
