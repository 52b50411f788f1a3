// SPDX-License-Identifier: Apache-2.0
// The skill folder: staged, on the disk, renamed.
#include "skill/skill_folder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/assert.hpp"
#include "skill/skill_paths.hpp"

namespace convene {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view staging_prefix = ".staging-";
constexpr std::string_view tree_name = "tree";

class open_file {
   public:
    open_file(const fs::path& path, int flags, mode_t mode = 0)
        : descriptor_(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode)) {}

    open_file(const open_file&) = delete;
    open_file& operator=(const open_file&) = delete;

    ~open_file() {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
    }

    [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }

    [[nodiscard]] int get() const noexcept { return descriptor_; }

   private:
    int descriptor_;
};

result<> sync_folder(const fs::path& folder) {
    const open_file opened{folder, O_RDONLY | O_DIRECTORY};
    const bool is_synced = opened.is_open() && ::fsync(opened.get()) == 0;
    return is_synced ? result<>{} : result<>{errc::io_failed};
}

result<> write_file(const fs::path& path, const revision_file& file) {
    const open_file out{path, O_WRONLY | O_CREAT | O_EXCL, file.is_program ? 0555U : 0444U};
    if (!out.is_open()) {
        return errc::io_failed;
    }
    std::string_view rest{file.content};
    while (!rest.empty()) {
        const ssize_t written = ::write(out.get(), rest.data(), rest.size());
        if (written < 0 && errno != EINTR) {
            return errc::io_failed;
        }
        rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
    return ::fsync(out.get()) == 0 ? result<>{} : result<>{errc::io_failed};
}

/// Writes the files; every folder is on the disk once it is full.
result<> write_tree(const fs::path& tree, const std::vector<revision_file>& files) {
    std::set<fs::path> folders{tree};
    for (const revision_file& file : files) {
        CONVENE_ASSERT(is_inner_path(file.path), "a tree is written as it was checked");
        const fs::path path = tree / file.path;
        for (fs::path folder = path.parent_path(); folder != tree; folder = folder.parent_path()) {
            folders.insert(folder);
        }
        std::error_code failed;
        fs::create_directories(path.parent_path(), failed);
        const result<> written = failed ? result<>{errc::io_failed} : write_file(path, file);
        if (!written) {
            return written;
        }
    }
    for (const fs::path& folder : folders) {
        const result<> synced = sync_folder(folder);
        if (!synced) {
            return synced;
        }
    }
    return {};
}

/// As the file system's clock has it, which may be another machine's.
void touch_folder(const fs::path& folder) {
    constexpr std::array<timespec, 2> now{{{0, UTIME_NOW}, {0, UTIME_NOW}}};
    ::utimensat(AT_FDCWD, folder.c_str(), now.data(), AT_SYMLINK_NOFOLLOW);
}

fs::file_time_type time_of(const fs::path& folder) {
    std::error_code failed;
    const fs::file_time_type at = fs::last_write_time(folder, failed);
    return failed ? fs::file_time_type::max() : at;
}

/// The names in a folder; none where it can't be read.
std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code failed;
    for (fs::directory_iterator next{folder, failed}, end; !failed && next != end;
         next.increment(failed)) {
        names.push_back(next->path().filename().native());
    }
    return names;
}

void remove_tree(const fs::path& folder) {
    std::error_code left;  // whoever looks next removes it
    fs::remove_all(folder, left);
}

/// A reader finds all of it or nothing.
void retire(const fs::path& folder) {
    const fs::path gone = folder.parent_path() /
                          (std::string{staging_prefix} + "gone-" + folder.filename().native());
    std::error_code failed;
    fs::rename(folder, gone, failed);
    if (!failed) {
        remove_tree(gone);
    }
}

/// Skills are named by ids of ours.
bool is_skill_folder(std::string_view name) {
    return !name.empty() && name.find_first_not_of("0123456789abcdef-") == std::string_view::npos;
}

result<std::string> read_whole(const fs::path& path, std::size_t max_bytes) {
    const open_file in{path, O_RDONLY};
    struct stat about{};
    if (!in.is_open() || ::fstat(in.get(), &about) != 0 || !S_ISREG(about.st_mode)) {
        return errc::not_found;
    }
    const auto size = static_cast<std::size_t>(about.st_size);
    if (size > max_bytes) {
        return errc::payload_too_large;
    }
    std::string content(size, '\0');
    std::size_t filled = 0;
    while (filled < size) {
        const ssize_t got = ::read(in.get(), content.data() + filled, size - filled);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return errc::io_failed;
        }
        filled += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    }
    return content;
}

}  // namespace

fs::path skill_folder::folder_of(const skill_id& skill) const {
    CONVENE_ASSERT(is_skill_folder(skill.str()), "the id of a skill is ours, and plain");
    return root_ / skill.str();
}

fs::path skill_folder::folder_of(const skill_id& skill, const revision_id& revision) const {
    CONVENE_ASSERT(is_commit(revision.str()), "a revision is a commit");
    return folder_of(skill) / revision.str();
}

result<> skill_folder::prepare() const {
    std::error_code failed;
    fs::create_directories(root_, failed);
    return failed || ::access(root_.c_str(), W_OK | X_OK) != 0 ? result<>{errc::io_failed}
                                                               : result<>{};
}

bool skill_folder::has(const skill_id& skill, const revision_id& revision) const {
    std::error_code failed;
    return fs::is_directory(folder_of(skill, revision), failed);
}

result<fs::path> skill_folder::make_staging(const skill_id& skill, std::string_view name) const {
    const fs::path staging = folder_of(skill) / (std::string{staging_prefix} + std::string{name});
    std::error_code failed;
    fs::create_directories(staging, failed);
    if (failed) {
        return errc::io_failed;
    }
    return staging;
}

void skill_folder::discard(const fs::path& staging) const { remove_tree(staging); }

result<> skill_folder::publish(
    const fs::path& staging,
    const skill_id& skill,
    const revision_id& revision,
    const std::vector<revision_file>& files
) const {
    if (has(skill, revision)) {
        return {};
    }
    const fs::path tree = staging / tree_name;
    std::error_code failed;
    fs::create_directory(tree, failed);
    const result<> written = failed ? result<>{errc::io_failed} : write_tree(tree, files);
    if (!written) {
        return written;
    }
    touch_folder(tree);
    fs::rename(tree, folder_of(skill, revision), failed);
    // A worker that has lost the lease and does not know yet may have come first.
    if (failed && !has(skill, revision)) {
        return errc::io_failed;
    }
    return sync_folder(folder_of(skill));
}

void skill_folder::clear_staging(const skill_id& skill) const {
    const fs::path folder = folder_of(skill);
    for (const std::string& name : names_in(folder)) {
        if (name.starts_with(staging_prefix)) {
            remove_tree(folder / name);
        }
    }
}

void skill_folder::touch(const skill_id& skill, const revision_id& revision) const {
    touch_folder(folder_of(skill, revision));
}

std::size_t skill_folder::prune(
    const skill_id& skill, const std::set<revision_id>& kept, std::chrono::seconds grace
) const {
    const fs::path folder = folder_of(skill);
    touch_folder(folder);
    const fs::file_time_type now = time_of(folder);
    std::size_t removed = 0;
    for (const std::string& name : names_in(folder)) {
        const bool is_free = is_commit(name) && !kept.contains(revision_id{name});
        if (is_free && time_of(folder / name) <= now - grace) {
            retire(folder / name);
            ++removed;
        }
    }
    return removed;
}

void skill_folder::remove(const skill_id& skill, std::chrono::seconds grace) const {
    clear_staging(skill);
    prune(skill, {}, grace);
    std::error_code not_empty;  // the rest is young yet
    fs::remove(folder_of(skill), not_empty);
}

std::vector<skill_id> skill_folder::skills() const {
    std::vector<skill_id> found;
    for (std::string& name : names_in(root_)) {
        if (is_skill_folder(name)) {
            found.emplace_back(std::move(name));
        }
    }
    std::ranges::sort(found);
    return found;
}

result<loaded_skill> skill_folder::load(const skill_id& skill, const revision_id& revision) const {
    const fs::path folder = folder_of(skill, revision);
    result<std::string> text = read_whole(folder / skill_file_name, max_skill_file_bytes);
    if (!text) {
        return text.error();
    }
    pulled<skill_document> document = read_skill_file(*text);
    if (!document) {
        return errc::corrupt_data;
    }
    loaded_skill loaded{revision, *std::move(document), {}};
    std::error_code failed;
    for (fs::recursive_directory_iterator next{folder, failed}, end; !failed && next != end;
         next.increment(failed)) {
        std::string path = next->path().lexically_relative(folder).native();
        if (next->is_regular_file(failed) && path != skill_file_name) {
            loaded.files.push_back({std::move(path), next->file_size(failed)});
        }
    }
    if (failed) {
        return errc::not_found;  // it was pruned under our eyes
    }
    std::ranges::sort(loaded.files, {}, &loaded_skill::file::path);
    return loaded;
}

result<std::string> skill_folder::read_file(
    const skill_id& skill, const revision_id& revision, std::string_view path, std::size_t max_bytes
) const {
    if (!is_inner_path(path)) {
        return errc::not_found;
    }
    return read_whole(folder_of(skill, revision) / path, max_bytes);
}

}  // namespace convene
