#include "piece_cache.h"

#include <algorithm>
#include <utility>

namespace loupe {

namespace {

constexpr std::uint64_t mix_low = 0x9E3779B97F4A7C15, mix_high = 0xC2B2AE3D27D4EB4F;
constexpr std::uint64_t ids_mask = ~std::uint64_t{0} >> 2;
constexpr unsigned length_shift = 56, kind_shift = 60, count_shift = 62;
constexpr std::size_t ahead = 16;  // in pieces
constexpr std::size_t least_rows = 1 << 13, most_rows = 1 << 18, most_long_rows = 1 << 17;

// The bits of the two words of a piece of n bytes that contain text.
constexpr auto low_masks = [] {
    std::array<std::uint64_t, 16> masks{};
    for (unsigned size = 0; size < 16; ++size) masks[size] = size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * size) - 1;
    return masks;
}();
constexpr auto high_masks = [] {
    std::array<std::uint64_t, 16> masks{};
    for (unsigned size = 9; size < 16; ++size) masks[size] = (std::uint64_t{1} << 8 * (size - 8)) - 1;
    return masks;
}();

void store_pair(Ids ids, std::size_t at, std::uint64_t pair) { std::memcpy(ids.subspan(at, 2).data(), &pair, 8); }

}  // namespace

PieceCache::PieceCache(std::size_t longest, std::size_t size) : rows_(least_rows), long_(least_rows), longest_(longest), size_(size) {}

// The index of a key's own row, in the lowest bits for a table of any size.
std::uint64_t PieceCache::slot_of_key(std::uint64_t low, std::uint64_t high) {
    const auto product = static_cast<unsigned __int128>(low ^ mix_low) * (high ^ mix_high);
    return static_cast<std::uint64_t>(product ^ product >> 64);
}

PieceCache::Key PieceCache::key_of(Bytes piece, Kind kind) {
    std::array<Byte, 16> bytes{};
    std::ranges::copy(piece, bytes.begin());
    const auto high = load8(bytes, 8) | std::uint64_t{piece.size()} << length_shift | std::uint64_t{static_cast<Byte>(kind)} << kind_shift;
    const auto low = load8(bytes, 0);
    return {low, high, slot_of_key(low, high)};
}

void PieceCache::write_row(Row& row, const Key& key, std::span<const std::int32_t> ids) {
    std::array<std::uint64_t, 2> pairs{};
    for (std::size_t at = 0; at < ids.size(); ++at)
        pairs[at / 2] |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(ids[at])) << 32 * (at & 1);
    row = {key.low, key.high, pairs[0], pairs[1] | std::uint64_t{ids.size() - 1} << count_shift};
}

// Make the keys of all pieces, and prefetch their rows.
void PieceCache::make_keys(const Block& pieces) {
    const auto text = pieces.text;
    const auto rows = rows_.items();
    const auto mask = rows.size() - 1;
    const auto kind = std::uint64_t{static_cast<Byte>(pieces.kind)} << kind_shift;
    const bool are_apart = !pieces.starts.empty();
    std::size_t listed = 0, start = pieces.start;
    for (std::size_t index = 0; index < pieces.ends.size(); ++index) {
        if (are_apart) start = static_cast<std::size_t>(pieces.starts[index]);
        const auto end = static_cast<std::size_t>(pieces.ends[index]), length = end - start;
        auto& key = pieces.keys[index];
        if (length > short_bytes) {
            key = {too_long, too_long, listed};
            listed = index + 1;
        } else if (start + 16 <= text.size()) {
            key.low = load8(text, start) & low_masks[length];
            key.high = (load8(text, start + 8) & high_masks[length]) | std::uint64_t{length} << length_shift | kind;
            key.slot = slot_of_key(key.low, key.high);
            prefetch_early(&rows[key.slot & mask]);
        } else {
            key = key_of(text.subspan(start, length), pieces.kind);
        }
        start = end;
    }
    if (listed) fetch_long(pieces, listed);
    for (const auto index : pieces.others) pieces.keys[index] = {0, too_long, 0};
}

// Store hashes in the keys of pieces that fit no row, and prefetch their cached values.
void PieceCache::fetch_long(const Block& pieces, std::size_t listed) {
    for (auto next = listed; next; next = pieces.keys[next - 1].slot) {
        const auto piece = pieces.piece(next - 1);
        auto& key = pieces.keys[next - 1];
        key.low = piece.size() <= longest_ ? hash(piece, pieces.kind) : 0;
        prefetch(&long_row(key.low));
    }
    for (auto next = listed; next; next = pieces.keys[next - 1].slot) {
        const auto& row = long_row(pieces.keys[next - 1].low);
        if (row.hash == 0) continue;
        prefetch(&text_[row.text]);
        prefetch(&ids_[row.ids]);
    }
}

// Append the ids of pieces up to the first that is not in its own pair of rows; returns its index. The piece's own row is
// checked first; a hit in the other row swaps the two.
std::size_t PieceCache::look_up(std::span<const Key> keys, std::size_t index, Ids ids, std::size_t& count) {
    const auto rows = rows_.items();  // a local copy: the compiler cannot know that the writes below do not change it
    const auto mask = rows.size() - 1;
    auto n_ids = count;
    for (; index < keys.size(); ++index) {
        const auto& key = keys[index];  // the key of a long piece is in no row
        if (index + ahead < keys.size()) prefetch(&rows[keys[index + ahead].slot & mask]);
        auto& row = rows[key.slot & mask];
        if (row.low != key.low || row.high != key.high) {
            auto& other = rows[(key.slot & mask) ^ 1];
            if (other.low != key.low || other.high != key.high) break;
            std::swap(row, other);
        }
        store_pair(ids, n_ids, row.two);
        store_pair(ids, n_ids + 2, row.last & ids_mask);
        n_ids += (row.last >> count_shift) + 1;
    }
    count = n_ids;
    return index;
}

// The row of a key, or the row to store it in: the first empty one of some pairs, or else an occupied one.
PieceCache::Row& PieceCache::row_for(const Key& key) {
    for (std::size_t probe = 0; probe < most_probes; ++probe)
        if (auto& row = rows_[slot_after(key.slot, probe)]; row.high == 0 || (row.low == key.low && row.high == key.high)) return row;
    return rows_[slot_after(key.slot, 1)];
}

void PieceCache::grow() {
    const auto rows = std::exchange(rows_, LargeArray<Row>(std::min(4 * rows_.size(), most_rows)));
    for (std::size_t slot = 0; slot < rows.size(); ++slot)
        if (const auto& row = rows[slot]; row.high != 0) row_for({row.low, row.high, slot_of_key(row.low, row.high)}) = row;
}

void PieceCache::grow_long() {
    const auto rows = std::exchange(long_, LargeArray<LongRow>(4 * long_.size()));
    for (std::size_t slot = 0; slot < rows.size(); ++slot)
        if (rows[slot].hash != 0)
            if (auto* const row = free_long_row(rows[slot].hash)) *row = rows[slot];
}

bool PieceCache::recall(const Block& pieces, std::size_t index, Ids ids, std::size_t& count) {
    const auto& key = pieces.keys[index];
    if (key.high == too_long) return key.low != 0 && recall_long(pieces.piece(index), pieces.kind, key.low, ids, count);
    auto& row = row_for(key);
    if (row.low != key.low || row.high != key.high) {
        const auto piece = pieces.piece(index);
        return recall_long(piece, pieces.kind, hash(piece, pieces.kind), ids, count);
    }
    auto& own = rows_[slot_after(key.slot, 1)];
    std::swap(own, row);
    store_pair(ids, count, own.two);
    store_pair(ids, count + 2, own.last & ids_mask);
    count += (own.last >> count_shift) + 1;
    return true;
}

bool PieceCache::recall_long(Bytes piece, Kind kind, std::uint64_t hash, Ids ids, std::size_t& count) {
    const auto length = static_cast<std::uint32_t>(piece.size() << 2 | static_cast<Byte>(kind));
    for (std::size_t probe = 0; probe < most_probes; ++probe) {
        const auto& row = long_[((hash >> 20) + probe) & (long_.size() - 1)];
        if (row.hash == 0) return false;
        if (row.hash != hash || row.length != length) continue;
        if (!std::equal(piece.begin(), piece.end(), text_.begin() + row.text)) continue;
        std::copy_n(ids_.begin() + row.ids, row.n_ids, ids.subspan(count, row.n_ids).begin());
        count += row.n_ids;
        return true;
    }
    return false;
}

bool PieceCache::may_recall_segment(Bytes segment) {
    if (segment.empty() || segment.size() > longest_cached_segment) return false;
    segment_hash_ = hash(segment, Kind::segment);
    const auto bit = segment_hash_ >> 8 & (n_bits - 1);
    if (noted_[bit / 64] >> bit % 64 & 1) return true;
    if (++n_noted_ > most_noted) noted_.fill(0), n_noted_ = 1;
    noted_[bit / 64] |= std::uint64_t{1} << bit % 64;
    return false;
}

void PieceCache::store_segment(Bytes segment, std::span<const std::int32_t> ids) {
    if (may_be_cached(ids)) store_long(segment, Kind::segment, segment_hash_, ids);
}

bool PieceCache::may_be_cached(std::span<const std::int32_t> ids) {
    return !ids.empty() && std::ranges::none_of(ids, [](auto id) { return id < 0; });
}

void PieceCache::store(const Block& pieces, std::size_t index, std::span<const std::int32_t> ids) {
    if (!may_be_cached(ids)) return;
    const auto& key = pieces.keys[index];
    if (key.high == too_long) {
        if (key.low) store_long(pieces.piece(index), pieces.kind, key.low, ids);
        return;
    }
    if (ids.size() > few) {
        const auto piece = pieces.piece(index);
        return store_long(piece, pieces.kind, hash(piece, pieces.kind), ids);
    }
    if (4 * n_rows_ >= rows_.size() && rows_.size() < most_rows) grow();
    auto& row = row_for(key);
    if (row.high == 0) ++n_rows_;
    write_row(row, key, ids);
}

// A free row for a piece that is not cached, unless that part of the table is full.
PieceCache::LongRow* PieceCache::free_long_row(std::uint64_t hash) {
    for (std::size_t probe = 0; probe < most_probes; ++probe)
        if (auto& row = long_[((hash >> 20) + probe) & (long_.size() - 1)]; row.hash == 0) return &row;
    return nullptr;
}

void PieceCache::store_long(Bytes piece, Kind kind, std::uint64_t hash, std::span<const std::int32_t> ids) {
    if (piece.size() > longest_ || ids.size() > longest_) return;
    if (2 * n_long_ >= long_.size() && long_.size() < most_long_rows) grow_long();
    if (text_.size() + piece.size() > size_ * most_text || ids_.size() + ids.size() > size_ * most_ids || 2 * n_long_ > long_.size()) {
        long_.clear();
        text_.clear(), ids_.clear(), n_long_ = 0;
    }
    auto* const row = free_long_row(hash);
    if (!row) return;
    *row = {hash, static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(ids_.size()),
            static_cast<std::uint32_t>(piece.size() << 2 | static_cast<Byte>(kind)), static_cast<std::uint32_t>(ids.size())};
    text_.insert(text_.end(), piece.begin(), piece.end());
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    ++n_long_;
}

// Never returns 0.
std::uint64_t PieceCache::hash(Bytes piece, Kind kind) {
    auto found = std::uint64_t{piece.size()} << 2 | static_cast<Byte>(kind), other = mix_high;  // two, to compute in parallel
    const auto mix = [](std::uint64_t& into, std::uint64_t word) {
        into = (into ^ word) * mix_low;
        into ^= into >> 32;
    };
    std::size_t at = 0;
    for (; at + 16 <= piece.size(); at += 16) mix(found, load8(piece, at)), mix(other, load8(piece, at + 8));
    if (at + 8 <= piece.size()) mix(found, load8(piece, at)), at += 8;
    if (at < piece.size() && piece.size() >= 8) mix(other, load8(piece, piece.size() - 8));
    else
        for (; at < piece.size(); ++at) mix(found, piece[at]);
    mix(found, other);
    return found | 1;
}

}  // namespace loupe
