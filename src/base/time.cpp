// SPDX-License-Identifier: Apache-2.0
// Wall time: RFC 3339 text to and from, and the system's clock.
#include "convene/time.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace convene {

namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

// RFC 3339 has four digits for the year.
constexpr wall_time first_writable = std::chrono::sys_days{
    std::chrono::year{0} / std::chrono::January / 1
};
constexpr wall_time
    last_writable = std::chrono::sys_days{std::chrono::year{10000} / std::chrono::January / 1} -
                    microseconds{1};

/// Reads a fixed layout from left to right. After the first mismatch it stays failed and yields
/// zeros.
class layout_reader {
   public:
    explicit layout_reader(std::string_view text) : rest_(text) {}

    int number(std::size_t digits) {
        int value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            value = value * 10 + digit();
        }
        return value;
    }

    void expect_one_of(std::string_view wanted) {
        if (!take_one_of(wanted)) {
            failed_ = true;
        }
    }

    bool take_one_of(std::string_view wanted) {
        if (rest_.empty() || wanted.find(rest_.front()) == std::string_view::npos) {
            return false;
        }
        rest_.remove_prefix(1);
        return true;
    }

    [[nodiscard]] bool at_digit() const noexcept {
        return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
    }

    [[nodiscard]] char front() const noexcept { return rest_.empty() ? '\0' : rest_.front(); }

    void fail() noexcept { failed_ = true; }

    [[nodiscard]] bool read_everything() const noexcept { return !failed_ && rest_.empty(); }

   private:
    int digit() {
        if (!at_digit()) {
            failed_ = true;
            return 0;
        }
        const int value = rest_.front() - '0';
        rest_.remove_prefix(1);
        return value;
    }

    std::string_view rest_;
    bool failed_ = false;
};

/// The digits after the point: one to nine, of which six count.
microseconds read_fraction(layout_reader& in) {
    constexpr int max_digits = 9;
    int value = 0;
    int digits = 0;
    for (; in.at_digit() && digits < max_digits; ++digits) {
        value = value * 10 + in.number(1);
    }
    if (digits == 0) {
        in.fail();
    }
    for (; digits < max_digits; ++digits) {
        value *= 10;
    }
    return std::chrono::floor<microseconds>(std::chrono::nanoseconds{value});
}

/// `Z`, or how far local time is ahead of UTC.
minutes read_offset(layout_reader& in) {
    if (in.take_one_of("Zz")) {
        return minutes{0};
    }
    const bool behind = in.front() == '-';
    in.expect_one_of("+-");
    const int hour = in.number(2);
    in.expect_one_of(":");
    const int minute = in.number(2);
    if (hour > 23 || minute > 59) {
        in.fail();
    }
    const minutes ahead = hours{hour} + minutes{minute};
    return behind ? -ahead : ahead;
}

}  // namespace

std::string format_rfc3339(wall_time t) {
    const wall_time writable = std::clamp(t, first_writable, last_writable);
    const auto day = std::chrono::floor<days>(writable);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss<microseconds> time{writable - day};
    std::array<char, sizeof "0000-00-00T00:00:00.000000Z"> text{};
    std::snprintf(
        text.data(),
        text.size(),
        "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ",
        static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()),
        static_cast<int>(time.hours().count()),
        static_cast<int>(time.minutes().count()),
        static_cast<int>(time.seconds().count()),
        static_cast<int>(time.subseconds().count())
    );
    return text.data();
}

result<wall_time> parse_rfc3339(std::string_view text) {
    layout_reader in{text};
    const std::chrono::year year{in.number(4)};
    in.expect_one_of("-");
    const std::chrono::month month{static_cast<unsigned>(in.number(2))};
    in.expect_one_of("-");
    const std::chrono::day day{static_cast<unsigned>(in.number(2))};
    in.expect_one_of("Tt");
    const int hour = in.number(2);
    in.expect_one_of(":");
    const int minute = in.number(2);
    in.expect_one_of(":");
    const int second = in.number(2);
    const microseconds fraction = in.take_one_of(".") ? read_fraction(in) : microseconds{0};
    const minutes ahead = read_offset(in);

    const std::chrono::year_month_day date{year, month, day};
    if (!in.read_everything() || !date.ok() || hour > 23 || minute > 59 || second > 60) {
        return errc::invalid_argument;
    }
    const wall_time whole_seconds = std::chrono::sys_days{date} + hours{hour} + minutes{minute} +
                                    seconds{second} - ahead;
    // Second 60 is a leap second, which only ends a UTC day; it reads as the first of the next day.
    const bool starts_a_day = whole_seconds == std::chrono::floor<days>(whole_seconds);
    if (second == 60 && !starts_a_day) {
        return errc::invalid_argument;
    }
    const wall_time t = whole_seconds + fraction;
    if (t < first_writable || t > last_writable) {
        return errc::invalid_argument;
    }
    return t;
}

const wall_clock& system_wall_clock() {
    class system_clock final : public wall_clock {
       public:
        wall_time now() const override {
            return std::chrono::floor<microseconds>(std::chrono::system_clock::now());
        }
    };

    static const system_clock clock;
    return clock;
}

}  // namespace convene
