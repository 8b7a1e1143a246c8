// One source, compiled once per instruction set with BAYESDNF_SIMD_NAME set to its name.
#include "genomics/simd/pairs.hpp"

#include "genomics/simd/vectors.hpp"

#if defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace bayesdnf {
namespace {

using Byte = std::uint8_t;

#if defined(__AVX512BW__)

struct Bytes {
    static constexpr std::size_t width = 64;
    __m512i v;
    static Bytes load(const Byte* p) { return {_mm512_loadu_si512(p)}; }
    static Bytes table(const Byte* p) {
        return {_mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(p)))};
    }
    static Bytes zero() { return {_mm512_setzero_si512()}; }
    void store(Byte* p) const { _mm512_storeu_si512(p, v); }
    Bytes look_up(Bytes at) const { return {_mm512_shuffle_epi8(v, at.v)}; }
    Bytes operator+(Bytes b) const { return {_mm512_add_epi8(v, b.v)}; }
    Bytes high_half() const {
        return {_mm512_and_si512(_mm512_srli_epi16(v, 4), _mm512_set1_epi8(0x0f))};
    }
};

#elif defined(__AVX2__)

struct Bytes {
    static constexpr std::size_t width = 32;
    __m256i v;
    static Bytes load(const Byte* p) {
        return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
    }
    static Bytes table(const Byte* p) {
        return {_mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(p)))};
    }
    static Bytes zero() { return {_mm256_setzero_si256()}; }
    void store(Byte* p) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
    Bytes look_up(Bytes at) const { return {_mm256_shuffle_epi8(v, at.v)}; }
    Bytes operator+(Bytes b) const { return {_mm256_add_epi8(v, b.v)}; }
    Bytes high_half() const {
        return {_mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(0x0f))};
    }
};

#elif defined(__aarch64__) && defined(__ARM_NEON)

struct Bytes {
    static constexpr std::size_t width = 16;
    uint8x16_t v;
    static Bytes load(const Byte* p) { return {vld1q_u8(p)}; }
    static Bytes table(const Byte* p) { return {vld1q_u8(p)}; }
    static Bytes zero() { return {vdupq_n_u8(0)}; }
    void store(Byte* p) const { vst1q_u8(p, v); }
    Bytes look_up(Bytes at) const { return {vqtbl1q_u8(v, at.v)}; }
    Bytes operator+(Bytes b) const { return {vaddq_u8(v, b.v)}; }
    Bytes high_half() const { return {vshrq_n_u8(v, 4)}; }
};

#else

struct Bytes {
    static constexpr std::size_t width = 16;
    Byte v[width];
    static Bytes load(const Byte* p) {
        Bytes out;
        for (std::size_t i = 0; i < width; ++i) out.v[i] = p[i];
        return out;
    }
    static Bytes table(const Byte* p) { return load(p); }
    static Bytes zero() { return {}; }
    void store(Byte* p) const {
        for (std::size_t i = 0; i < width; ++i) p[i] = v[i];
    }
    Bytes look_up(Bytes at) const {
        Bytes out;
        for (std::size_t i = 0; i < width; ++i) out.v[i] = v[at.v[i]];
        return out;
    }
    Bytes operator+(Bytes b) const {
        Bytes out;
        for (std::size_t i = 0; i < width; ++i) out.v[i] = static_cast<Byte>(v[i] + b.v[i]);
        return out;
    }
    Bytes high_half() const {
        Bytes out;
        for (std::size_t i = 0; i < width; ++i) out.v[i] = static_cast<Byte>(v[i] >> 4);
        return out;
    }
};

#endif

// Entry [x][y]: rows that the low four bits of x share with y, and 16 times those of the high four.
struct Shared {
    alignas(64) Byte entry[256][16];
    constexpr Shared() : entry{} {
        for (unsigned x = 0; x < 256; ++x)
            for (unsigned y = 0; y < 16; ++y) {
                unsigned low = 0, high = 0;
                for (unsigned i = 0; i < 4; ++i) {
                    low += x >> i & y >> i & 1u;
                    high += x >> (4 + i) & y >> i & 1u;
                }
                entry[x][y] = static_cast<Byte>(low + 16 * high);
            }
    }
};
constexpr Shared kShared;
constexpr std::size_t kEntry = 16;      // bytes of a table
constexpr std::size_t kFullBytes = 63;  // quads, after which sums of eight bits are full
constexpr std::size_t kFullWords = 16383 / 63 * 63;  // and sums of sixteen

// Words of several planes.
#if defined(__GNUC__)
typedef Word Words __attribute__((vector_size(64), aligned(8)));
#else
using Words = Word;
#endif

// The moves are the same for all planes, so that several go through them side by side. Some is
// Words, or Word for one plane.
template <class Some>
void pick_some(const PickMoves* moves, std::size_t n_words, const Word* planes, std::size_t stride,
               Word* out, std::size_t out_stride) {
    constexpr std::size_t kSide = sizeof(Some) / sizeof(Word);
    std::size_t at = 0;
    for (std::size_t w = 0; w < n_words; ++w) {
        const PickMoves& here = moves[w];
        if (here.picked == 0) continue;
        alignas(sizeof(Some)) Word words[kSide], more[kSide];  // templates forget aligned(8)
        for (std::size_t j = 0; j < kSide; ++j) words[j] = planes[j * stride + w];
        Some x = *reinterpret_cast<const Some*>(words) & here.mask;
        for (unsigned s = 0; s < 6; ++s) {
            const Some moving = x & here.step[s];
            x = (x ^ moving) | moving >> (1u << s);
        }
        const std::size_t shift = at % kWordBits, word = at / kWordBits;
        *reinterpret_cast<Some*>(words) = x << shift;
        for (std::size_t j = 0; j < kSide; ++j) out[j * out_stride + word] |= words[j];
        if (shift + here.picked > kWordBits) {
            *reinterpret_cast<Some*>(more) = x >> (kWordBits - shift);
            for (std::size_t j = 0; j < kSide; ++j) out[j * out_stride + word + 1] |= more[j];
        }
        at += here.picked;
    }
}

void pick(const PickMoves* moves, std::size_t n_words, const Word* planes, std::size_t stride,
          std::size_t n, Word* out, std::size_t out_stride) {
    constexpr std::size_t kSide = sizeof(Words) / sizeof(Word);
    std::size_t j = 0;
    for (; j + kSide <= n; j += kSide)
        pick_some<Words>(moves, n_words, planes + j * stride, stride, out + j * out_stride,
                         out_stride);
    for (; j < n; ++j)
        pick_some<Word>(moves, n_words, planes + j * stride, 0, out + j * out_stride, 0);
}

void lanes(const Word* planes, std::size_t stride, std::size_t n_planes, std::size_t rows,
           Byte* out) {
    constexpr std::size_t kQuads = kWordBits / 4;  // of a word
    const std::size_t n_quads = quads_for(rows), n_words = words_for(rows);
    for (std::size_t w = 0; w * kQuads < n_quads; ++w) {
        Word column[kLanes] = {};
        if (w < n_words)
            for (std::size_t j = 0; j < n_planes; ++j) column[j] = planes[j * stride + w];
        const std::size_t here = n_quads - w * kQuads < kQuads ? n_quads - w * kQuads : kQuads;
        for (std::size_t q = 0; q < here; ++q) {
            Byte* const to = out + (w * kQuads + q) * kLanes;
            for (std::size_t j = 0; j < kLanes; ++j)
                to[j] = static_cast<Byte>(column[j] >> (4 * q) & 15u);
        }
    }
}

void quads(const Word* low, const Word* high, std::size_t rows, std::uint16_t* out) {
    const std::size_t n_quads = quads_for(rows), n_words = words_for(rows);
    for (std::size_t q = 0; q < n_quads; ++q) {
        const std::size_t w = q / 16, shift = 4 * (q % 16);
        const Word a = w < n_words ? low[w] >> shift & 15u : 0;
        const Word b = w < n_words ? high[w] >> shift & 15u : 0;
        out[q] = static_cast<std::uint16_t>((a | b << 4) * kEntry);
    }
}

// Adds the rows of one row's planes and of every lane over at most kFullBytes quads.
inline void count_some(const std::uint16_t* quads, std::size_t n_quads, const Byte* lanes,
                       std::uint16_t* low, std::uint16_t* high) {
    constexpr std::size_t kVectors = kLanes / Bytes::width;
    const Byte* const tables = &kShared.entry[0][0];
    Bytes sums[kVectors], highs[kVectors];
    for (std::size_t i = 0; i < kVectors; ++i) sums[i] = highs[i] = Bytes::zero();
    for (std::size_t q = 0; q < n_quads; q += 3) {
        const Bytes a = Bytes::table(tables + quads[q]), b = Bytes::table(tables + quads[q + 1]),
                    c = Bytes::table(tables + quads[q + 2]);
        const Byte* const at = lanes + q * kLanes;
        for (std::size_t i = 0; i < kVectors; ++i) {
            const Byte* const here = at + i * Bytes::width;
            const Bytes x = a.look_up(Bytes::load(here)) + b.look_up(Bytes::load(here + kLanes)) +
                            c.look_up(Bytes::load(here + 2 * kLanes));
            sums[i] = sums[i] + x;  // modulo 256; what the high halves add is taken off below
            highs[i] = highs[i] + x.high_half();
        }
    }
    Byte both[kLanes], top[kLanes];
    for (std::size_t i = 0; i < kVectors; ++i) {
        sums[i].store(both + i * Bytes::width);
        highs[i].store(top + i * Bytes::width);
    }
    for (std::size_t j = 0; j < kLanes; ++j) {
        const auto less = static_cast<Byte>(both[j] - 16u * top[j]);
        low[j] = static_cast<std::uint16_t>(low[j] + less);
        high[j] = static_cast<std::uint16_t>(high[j] + top[j]);
    }
}

void count(const std::uint16_t* quads, std::size_t n_rows, std::size_t n_quads, const Byte* lanes,
           std::int32_t* low, std::int32_t* high, std::size_t stride) {
    std::uint16_t sums[kRowGroup][2][kLanes];
    for (std::size_t begin = 0; begin == 0 || begin < n_quads; begin += kFullWords) {
        const std::size_t end = n_quads - begin < kFullWords ? n_quads : begin + kFullWords;
        for (std::size_t i = 0; i < n_rows; ++i)
            for (auto& plane : sums[i])
                for (auto& sum : plane) sum = 0;
        for (std::size_t q = begin; q < end; q += kFullBytes) {
            const std::size_t n = end - q < kFullBytes ? end - q : kFullBytes;
            for (std::size_t i = 0; i < n_rows; ++i)
                count_some(quads + i * n_quads + q, n, lanes + q * kLanes, sums[i][0], sums[i][1]);
        }
        for (std::size_t i = 0; i < n_rows; ++i)
            for (std::size_t j = 0; j < kLanes; ++j) {
                std::int32_t &a = low[i * stride + j], &b = high[i * stride + j];
                a = (begin == 0 ? 0 : a) + sums[i][0][j];
                b = (begin == 0 ? 0 : b) + sums[i][1][j];
            }
    }
}

constexpr std::size_t kMostCells = 27;  // of three variants

// The levels of some lanes, and the most by which anything exceeded them.
template <std::size_t Levels>
struct Screen {
    const ScreenRow& row;
    Floats levels[Levels];
    Floats most;
    static constexpr std::size_t kLevels = Levels;

    Screen(const ScreenRow& of_row, std::size_t lane) : row(of_row), most{} {
        for (std::size_t k = 0; k < Levels; ++k)
            levels[k] = floats_at(row.levels + k * kLanes + lane);
        const auto worse = floats_at(row.lanes_alone + lane) < Floats{} + row.alone;
        if (!any(worse)) return;
        for (std::size_t k = 0; k < Levels; ++k)
            levels[k] = worse ? Floats{} + row.levels_of_row[k] : levels[k];
    }

    // What rounding may leave where there is nothing; the levels have slack enough to exceed it.
    static constexpr float kLeast = 0.01F;

    // m rows, `off` more of them cases than would be by chance.
    void judge(Floats off, Floats m) {
        const Floats zero = {};
        Floats level = levels[0];
        for (std::size_t k = 1; k < Levels; ++k)
            level = m >= zero + row.cuts[k - 1] ? levels[k] : level;
        if (!row.both_directions) off = off > zero ? off : zero;
        const Floats over = off * off - m * (row.beyond - m) * level;
        most = over > most ? over : most;
    }
};

using AndScreen = Screen<kAndLevels>;
using UnionScreen = Screen<kReachLevels>;

// The best union takes the cells from some rate of cases on, or those below it, unless all of them
// are better still: that counts here, for then the best of the others may be any.
void judge_unions(UnionScreen& screen, const Floats* off, const Floats* all, std::size_t n) {
    const Floats zero = {};
    Floats rate[kMostCells], total_off = zero, total = zero;
    for (std::size_t i = 0; i < n; ++i) {
        rate[i] = off[i] / (all[i] > zero ? all[i] : zero + 1.0F);
        total_off += off[i];
        total += all[i];
    }
    for (std::size_t i = 0; i < n; ++i) {
        Floats of_union = zero, rows = zero;
        for (std::size_t k = 0; k < n; ++k) {
            of_union += rate[k] >= rate[i] ? off[k] : zero;
            rows += rate[k] >= rate[i] ? all[k] : zero;
        }
        screen.judge(of_union, rows);
        if (screen.row.both_directions) screen.judge(total_off - of_union, total - rows);
    }
}

void judge_plain(AndScreen& screen, const ScreenRow& row, std::size_t lane) {
    Floats rows[2][9];
    for (std::size_t s = 0; s < 2; ++s) plain_products(row.counts[s] + lane, rows[s]);
    for (std::size_t i = 0; i < 9; ++i) {
        const Floats m = rows[0][i] + rows[1][i];
        screen.judge(rows[0][i] - row.share * m, m);
    }
}

template <class Screen>
void judge_sums(Screen& screen, const ScreenRow& row, std::size_t lane) {
    constexpr bool kUnions = Screen::kLevels == kReachLevels;
    Floats off[kMostCells], all[kMostCells];
    std::size_t n = 0;
    for (std::size_t f = 0; f < row.n_of_row; ++f) {
        Floats levels[2][kLaneLevels];
        for (std::size_t s = 0; s < 2; ++s)
            for (std::size_t v = row.first_level; v < kLaneLevels; ++v)
                levels[s][v] = of_level(row.of_row[f], row.counts[s] + v * kLanes + lane);
        for (std::size_t g = 0; g < row.n_of_lane; ++g) {
            const LevelSum& of_lane = row.of_lane[g];
            Floats cases = {}, controls = {};
            for (std::size_t t = 0; t < of_lane.n; ++t) {
                const auto sign = static_cast<float>(of_lane.sign[t]);
                cases += sign * levels[0][of_lane.level[t]];
                controls += sign * levels[1][of_lane.level[t]];
            }
            all[n] = cases + controls;
            off[n] = cases - row.share * all[n];
            if constexpr (kUnions)
                ++n;
            else
                screen.judge(off[n], all[n]);
        }
    }
    if constexpr (kUnions) judge_unions(screen, off, all, n);
}

template <class Screen, void (*judge)(Screen&, const ScreenRow&, std::size_t)>
void screen_by(const ScreenRow& row, Word* out) {
    for (std::size_t w = 0; w < kLanes / kWordBits; ++w) out[w] = 0;
    for (std::size_t lane = 0; lane < kLanes; lane += kPiece) {
        Screen screen(row, lane);
        judge(screen, row, lane);
        float most[kPiece];
        *reinterpret_cast<Floats*>(most) = screen.most;
        for (std::size_t j = 0; j < kPiece; ++j)
            out[(lane + j) / kWordBits] |= static_cast<Word>(most[j] > Screen::kLeast)
                                           << ((lane + j) % kWordBits);
    }
}

void screen(const ScreenRow& row, Word* out) {
    if (row.plain)
        screen_by<AndScreen, judge_plain>(row, out);
    else if (row.unions)
        screen_by<UnionScreen, judge_sums<UnionScreen>>(row, out);
    else
        screen_by<AndScreen, judge_sums<AndScreen>>(row, out);
}

}  // namespace

extern const PairLoops BAYESDNF_JOIN(pair_loops_, BAYESDNF_SIMD_NAME);
const PairLoops BAYESDNF_JOIN(pair_loops_, BAYESDNF_SIMD_NAME) = {pick, lanes, quads, count,
                                                                  screen};

}  // namespace bayesdnf
