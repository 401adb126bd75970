// Pair merging piece by piece, with reused memory.
#pragma once

#include "pair_rules.h"
#include "tokens.h"

namespace loupe {

// Append the token of the symbol text[start:end], or the tokens that stand for its bytes.
void put_symbol(const PairRules& rules, std::int32_t symbol, Bytes text, std::size_t start, std::size_t end, TokenOutput& output);

class Merger {
public:
    explicit Merger(const PairRules& rules) : rules_(rules) {}

    // Both append the tokens of text[start:end], which is one piece, and give the same result.
    void scan(Bytes text, std::size_t start, std::size_t end, TokenOutput& output);  // O(n²), the fastest for few symbols
    void heap(Bytes text, std::size_t start, std::size_t end, TokenOutput& output);  // O(n log n)

    // The same for a piece of given start symbols, all of them tokens; starts and ends count symbols, beginning with `start`.
    void merge_symbols(std::span<const std::int32_t> ids, std::size_t start, bool by_heap, TokenOutput& output);

    // Choose the faster one for the length of the piece.
    void merge(Bytes text, std::size_t start, std::size_t end, TokenOutput& output);

private:
    struct Symbol {
        std::int32_t id;
        std::uint32_t end;  // relative to the start of the piece
    };

    void begin(Bytes piece);
    void scan_symbols();
    void heap_symbols();
    void note(const Rule& rule, std::int32_t left, std::int32_t right);
    void put_parts(std::int32_t symbol, Bytes text, std::size_t start, std::size_t end, unsigned depth, TokenOutput& output);
    void queue_pair(std::size_t slot, std::size_t right);
    void sift_down(std::size_t at, std::uint64_t entry);
    void join(std::size_t slot);
    void put(Bytes text, std::size_t start, std::size_t count, TokenOutput& output);

    // Append the tokens of text[start:end], merging windows of `size` bytes. False, with some tokens appended, if `size` is too
    // small.
    //
    // Whether two symbols are neighbours after merging does not depend on the text around them (derivations.h). So if a window
    // begins with a symbol that the previous window left there, all neighbours up to this symbol and from it on are final.
    bool windows(Bytes text, std::size_t start, std::size_t end, std::size_t size, TokenOutput& output);

    const PairRules& rules_;
    std::vector<Symbol> symbols_;
    std::vector<std::array<std::int32_t, 2>> parts_;  // of each unused token: the last two symbols that could become it
    std::vector<Byte> spelled_;
    std::vector<Rule> neighbour_rules_;  // the rule for symbols i and i + 1
    std::vector<std::uint32_t> widths_;  // of a symbol, stored at its first and its last slot
    std::vector<std::uint64_t> queue_;   // rank << 32 | slot, a binary heap with the lowest at 0
};

}  // namespace loupe
