#include "bindings/arrays.hpp"
#include "cuda_source.hpp"

NB_MODULE(_native, m) {
    m.doc() = "The C++ core of bayesdnf: packed bits, random streams, scores, searches, chains.";
    nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const bayesdnf::SettingError& error) {
            const auto errors = nanobind::module_::import_("bayesdnf.errors");
            PyErr_SetString(errors.attr("ParameterError").ptr(), error.what());
        }
    });
    m.attr("CUDA_OPERANDS") = bayesdnf::kCudaOperands;
    m.attr("CUDA_PAIRS") = bayesdnf::kCudaPairs;
    m.attr("CUDA_PRODUCTS") = bayesdnf::kCudaProducts;
    m.attr("CUDA_SCREENS") = bayesdnf::kCudaScreens;
    m.attr("CUDA_SEGMENTS") = bayesdnf::kCudaSegments;
    m.attr("CUDA_SWEEP") = bayesdnf::kCudaSweep;
    bayesdnf::bindings::bind_bits(m);
    bayesdnf::bindings::bind_rng(m);
    bayesdnf::bindings::bind_model(m);
    bayesdnf::bindings::bind_parts(m);
    bayesdnf::bindings::bind_search(m);
    bayesdnf::bindings::bind_anneal(m);
    bayesdnf::bindings::bind_exact(m);
    bayesdnf::bindings::bind_implicants(m);
    bayesdnf::bindings::bind_chain(m);
    bayesdnf::bindings::bind_genotypes(m);
    bayesdnf::bindings::bind_scan(m);
}
