#include "merger.h"

namespace loupe {

namespace {

constexpr std::size_t most_scanned = 48;  // up to this number of symbols, scanning beats a queue
constexpr std::size_t least_window = 512, overlap = 128;  // in bytes
constexpr unsigned deepest = 100;         // the most levels at which SentencePiece splits an unused token

}  // namespace

void put_symbol(const PairRules& rules, std::int32_t symbol, Bytes text, std::size_t start, std::size_t end, TokenOutput& output) {
    if (rules.is_token(symbol)) return output.add(symbol, start, end);
    for (auto at = start; at < end; ++at)
        for (const auto [token, leads] : rules.fallbacks(text[at])) output.add(token, at + !leads, at + 1);
}

void Merger::begin(Bytes piece) {
    symbols_.clear();
    neighbour_rules_.clear();
    for (std::size_t at = 0; at < piece.size();) {
        const auto end = rules_.symbol_end(piece, at);
        symbols_.push_back({rules_.start_symbol(piece.subspan(at, end - at)), static_cast<std::uint32_t>(end)});
        at = end;
    }
    for (std::size_t at = 0; at + 1 < symbols_.size(); ++at) {
        const bool are_bytes = symbols_[at + 1].end == at + 2;
        neighbour_rules_.push_back(are_bytes ? rules_.of_bytes(piece[at], piece[at + 1]) : rules_.find(symbols_[at].id, symbols_[at + 1].id));
        note(neighbour_rules_.back(), symbols_[at].id, symbols_[at + 1].id);
    }
    neighbour_rules_.push_back({});
}

// Store the last pair that could become an unused token, whether it was merged or not: the token is split into this pair.
void Merger::note(const Rule& rule, std::int32_t left, std::int32_t right) {
    if (rule.rank == no_rank || !rules_.is_unused(rule.made)) return;
    parts_.resize(static_cast<std::size_t>(rules_.n_tokens()));
    parts_[static_cast<std::size_t>(rule.made)] = {left, right};
}

void Merger::put(Bytes text, std::size_t start, std::size_t count, TokenOutput& output) {
    auto at = start;
    for (const auto [id, end] : std::span(symbols_).first(count)) {
        put_parts(id, text, at, start + end, 0, output);
        at = start + end;
    }
}

void Merger::put_parts(std::int32_t symbol, Bytes text, std::size_t start, std::size_t end, unsigned depth, TokenOutput& output) {
    if (!rules_.is_unused(symbol) || depth > deepest) return put_symbol(rules_, symbol, text, start, end, output);
    const auto [left, right] = parts_[static_cast<std::size_t>(symbol)];
    rules_.unspell(rules_.symbol_text(static_cast<std::size_t>(left)), spelled_);
    const auto middle = std::min(start + spelled_.size(), end);
    put_parts(left, text, start, middle, depth + 1, output);
    put_parts(right, text, middle, end, depth + 1, output);
}

void Merger::scan(Bytes text, std::size_t start, std::size_t end, TokenOutput& output) {
    begin(text.subspan(start, end - start));
    scan_symbols();
    put(text, start, symbols_.size(), output);
}

void Merger::heap(Bytes text, std::size_t start, std::size_t end, TokenOutput& output) {
    begin(text.subspan(start, end - start));
    heap_symbols();
    put(text, start, symbols_.size(), output);
}

void Merger::merge_symbols(std::span<const std::int32_t> ids, std::size_t start, bool by_heap, TokenOutput& output) {
    symbols_.clear(), neighbour_rules_.clear();
    for (std::size_t at = 0; at < ids.size(); ++at) {
        symbols_.push_back({ids[at], static_cast<std::uint32_t>(at + 1)});
        neighbour_rules_.push_back(at + 1 < ids.size() ? rules_.find(ids[at], ids[at + 1]) : Rule{});
    }
    by_heap ? heap_symbols() : scan_symbols();
    auto at = start;
    for (const auto [id, end] : symbols_) {
        output.add(id, at, start + end);
        at = start + end;
    }
}

void Merger::scan_symbols() {
    while (true) {
        std::size_t best = 0;
        auto rank = no_rank;
        for (std::size_t at = 0; at < neighbour_rules_.size(); ++at)
            if (neighbour_rules_[at].rank < rank) rank = neighbour_rules_[at].rank, best = at;
        if (rank == no_rank) break;
        symbols_[best] = {neighbour_rules_[best].made, symbols_[best + 1].end};
        symbols_.erase(symbols_.begin() + static_cast<std::ptrdiff_t>(best) + 1);
        neighbour_rules_.erase(neighbour_rules_.begin() + static_cast<std::ptrdiff_t>(best));
        const auto id = symbols_[best].id;
        if (best + 1 < symbols_.size()) rules_.fetch(id, symbols_[best + 1].id);
        if (best > 0) {
            neighbour_rules_[best - 1] = rules_.find(symbols_[best - 1].id, id);
            note(neighbour_rules_[best - 1], symbols_[best - 1].id, id);
        }
        neighbour_rules_[best] = best + 1 < symbols_.size() ? rules_.find(id, symbols_[best + 1].id) : Rule{};
        if (best + 1 < symbols_.size()) note(neighbour_rules_[best], id, symbols_[best + 1].id);
    }
}

// A symbol is stored in the slot of its first start symbol. Its first and last slot hold its width, which makes a doubly linked
// list. An entry of the queue whose rank differs from neighbour_rules_ is stale.
void Merger::heap_symbols() {
    widths_.assign(symbols_.size(), 1);
    queue_.clear();
    for (std::size_t slot = 0; slot < neighbour_rules_.size(); ++slot)
        if (neighbour_rules_[slot].rank != no_rank) queue_.push_back(std::uint64_t{neighbour_rules_[slot].rank} << 32 | slot);
    for (auto at = queue_.size() / 2; at-- > 0;) sift_down(at, queue_[at]);
    while (!queue_.empty()) {
        const auto entry = queue_.front(), last = queue_.back();
        queue_.pop_back();
        if (!queue_.empty()) sift_down(0, last);
        const std::size_t slot = entry & 0xFFFFFFFF;
        if (neighbour_rules_[slot].rank == entry >> 32) join(slot);
    }
    std::size_t count = 0;
    for (std::size_t slot = 0; slot < symbols_.size(); slot += widths_[slot])
        symbols_[count++] = {symbols_[slot].id, symbols_[slot + widths_[slot] - 1].end};
    symbols_.resize(count);
}

void Merger::join(std::size_t slot) {
    const auto right = slot + widths_[slot];
    symbols_[slot].id = neighbour_rules_[slot].made;
    neighbour_rules_[right].rank = no_rank;
    widths_[slot] += widths_[right];
    const auto following = slot + widths_[slot];
    widths_[following - 1] = widths_[slot];
    if (slot > 0) queue_pair(slot - widths_[slot - 1], slot);
    queue_pair(slot, following);
}

// Store the rule for two neighbours, and queue them if there is one.
void Merger::queue_pair(std::size_t slot, std::size_t right) {
    neighbour_rules_[slot] = right < symbols_.size() ? rules_.find(symbols_[slot].id, symbols_[right].id) : Rule{};
    if (neighbour_rules_[slot].rank == no_rank) return;
    note(neighbour_rules_[slot], symbols_[slot].id, symbols_[right].id);
    const auto entry = std::uint64_t{neighbour_rules_[slot].rank} << 32 | slot;
    auto at = queue_.size();
    queue_.push_back(entry);
    for (; at > 0 && queue_[(at - 1) / 2] > entry; at = (at - 1) / 2) queue_[at] = queue_[(at - 1) / 2];
    queue_[at] = entry;
}

// Put `entry` at `at`, or below it, so that no entry is below a greater one.
void Merger::sift_down(std::size_t at, std::uint64_t entry) {
    while (true) {
        auto child = 2 * at + 1;
        if (child >= queue_.size()) break;
        if (child + 1 < queue_.size() && queue_[child + 1] < queue_[child]) ++child;
        if (queue_[child] >= entry) break;
        queue_[at] = queue_[child];
        at = child;
    }
    queue_[at] = entry;
}

void Merger::merge(Bytes text, std::size_t start, std::size_t end, TokenOutput& output) {
    const auto size = end - start;
    if (size <= most_scanned) return scan(text, start, end, output);
    if (size <= least_window || rules_.has_unused()) return heap(text, start, end, output);
    const auto count = output.count;
    for (auto window = least_window; !windows(text, start, end, window, output); window *= 4) output.count = count;
}

bool Merger::windows(Bytes text, std::size_t start, std::size_t end, std::size_t size, TokenOutput& output) {
    Symbol shared{};  // with the previous window: the next one begins with it
    Bytes before;
    while (true) {
        const auto window = text.subspan(start, std::min(size, end - start));
        if (!std::ranges::equal(window, before)) begin(window), heap_symbols();
        before = window;
        if (shared.end > 0 && (symbols_[0].id != shared.id || symbols_[0].end != shared.end)) return false;
        auto count = symbols_.size();
        if (start + window.size() < end)
            while (count > 0 && symbols_[count - 1].end + overlap > size) --count;
        if (count == 0) return false;
        put(text, start, count, output);
        if (count == symbols_.size()) return true;
        const auto next = symbols_[count - 1].end;
        shared = {symbols_[count].id, symbols_[count].end - next};
        start += next;
    }
}

}  // namespace loupe
