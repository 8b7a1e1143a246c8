// Deliberate mistakes, to show that the tests of the samplers would notice them. They exist only
// in a build with BAYESDNF_FAULTS, which the tests make for themselves and which never ships.
#pragma once

namespace bayesdnf {

enum class Fault {
    none,
    flip_prefers_adding,       // adding proposed twice as often as dropping, uncorrected
    swap_keeps_smallest,       // the literal put in is larger than the one taken out
    birth_without_q,           // Hastings factor of a plain birth and death dropped
    row_birth_without_q,       // the same of row-based ones
    row_birth_m,               // m in place of m + 1 terms to die
    row_birth_at_null,         // a birth is certain at m = 0, uncorrected
    row_birth_one_row,         // q counts the row it was drawn from only
    grown_without_factorial,   // orders of the grown literals forgotten
    grown_without_stop,        // probability of stopping forgotten
    listed_without_q,          // Hastings factor of a listed birth and death dropped
    listed_swap_unweighted,    // listed terms exchanged as if they were drawn alike
    redraw_unpaid,             // the bound taken for the posterior
    redraw_whole_and_part,     // weights of keeping and of taking a literal out confused
    redraw_size,               // |B| in place of |B| + 1
    redraw_empty_base,         // weight of the empty base forgotten
    split_one_half,            // q(u1) in place of q(u1) + q(u2)
    merge_ordered_pairs,       // m (m - 1) in place of the number of pairs
    exchange_reversed,         // replicas exchanged against the likelihood
    order_forgotten,           // likelihood without the order of the rates
    size_shifted,              // prior of k - 1 in place of k
    orderings_forgotten,       // m! left out
    layers_uncounted,          // P(G | m) forgotten
    surjections_as_powers,     // G^m in place of the ways that leave no layer empty
    rows_counted_twice,        // rows of a higher layer count in the lower part too
    nothing_left_allowed,      // part 0 may be empty
    strata_pooled,             // one set of rates for all strata
    cover_beside_nothing,      // rows of higher layers count for min_cover
    absorption_reversed,       // the rule between layers the wrong way round
    birth_without_places,      // where a term may be put not paid for
    death_with_places_before,  // the places of the list before the death in place of after it
    grown_for_another_place,   // a term grown for the highest place and put elsewhere
    listed_swap_on_top,        // one listed term for another in a layer of its own
    merge_across_layers,       // terms of two layers become one
    redraw_without_places,     // weight of the empty base not shared out over the places
    relocation_anywhere,       // a term put into any place alike
    layer_split_one_way,       // 2^m - 2 ways to split a layer taken for one
    jump_unweighted,           // known functions drawn alike
    jump_unheated,             // known functions drawn by the posterior at every temperature
    respell_unweighted,        // as many ways back as there are out
};

#ifdef BAYESDNF_FAULTS
inline Fault planted_fault = Fault::none;
inline bool planted(Fault fault) { return planted_fault == fault; }
#else
constexpr bool planted(Fault) { return false; }
#endif

}  // namespace bayesdnf
