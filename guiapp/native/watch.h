// Long work asks from time to time whether its result is still wanted.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

namespace loupe {

// Asks Python; true to continue. NULL if the work cannot be cancelled.
using MayGoOn = bool (*)();

class Watch {
public:
    explicit Watch(MayGoOn may_go_on) : may_go_on_(may_go_on) {}

    // Whether to stop; from then on always true. `cost` is the approximate time of the next step in nanoseconds.
    bool stops(std::size_t cost = 64) {
        if (left_ > cost) {
            left_ -= cost;
            return has_stopped_;
        }
        left_ = between_questions;
        if (may_go_on_ != nullptr && !has_stopped_) has_stopped_ = !may_go_on_();
        return has_stopped_;
    }

    bool has_stopped() const { return has_stopped_; }

private:
    static constexpr std::size_t between_questions = 10'000'000;

    MayGoOn may_go_on_;
    std::size_t left_ = between_questions;
    bool has_stopped_ = false;
};

// The result, or NULL if the watch stopped before it was complete.
template <class Made>
Made* unless_stopped(std::unique_ptr<Made> made, const Watch& watch) {
    return watch.has_stopped() ? nullptr : made.release();
}

// Sorts in parts that are short enough to be cancelled, then merges the parts; unsorted if the watch stops.
template <class Item, class Less>
void sort_watched(std::span<Item> items, Less less, Watch& watch) {
    constexpr std::size_t part = 1 << 17, cost = 100;
    const auto part_at = [&](std::size_t start, std::size_t size) {
        return items.subspan(std::min(start, items.size()), std::min(size, items.size() - std::min(start, items.size())));
    };
    for (std::size_t start = 0; start < items.size() && !watch.stops(cost * std::min(part, items.size())); start += part) {
        const auto some = part_at(start, part);
        std::sort(some.begin(), some.end(), less);
    }
    std::vector<Item> lower;
    for (auto width = part; width < items.size(); width *= 2)
        for (std::size_t start = 0; start + width < items.size(); start += 2 * width) {
            if (watch.stops(cost / 8 * width)) return;
            const auto both = part_at(start, 2 * width);
            lower.assign(both.begin(), both.begin() + static_cast<std::ptrdiff_t>(width));
            std::merge(lower.begin(), lower.end(), both.begin() + static_cast<std::ptrdiff_t>(width), both.end(), both.begin(), less);
        }
}

}  // namespace loupe
