#include "data/map_guard.hpp"

#include <memory>
#include <vector>

#include "tests/check.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <cstdio>
#include <sys/mman.h>
#include <unistd.h>

using namespace bayesdnf;

namespace {

// A temporary file of some pages of ones, mapped; it can be cut off while it is.
struct MappedFile {
    explicit MappedFile(std::size_t n_pages)
        : page(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), size(n_pages * page) {
        const std::vector<unsigned char> ones(size, 1);
        CHECK(std::fwrite(ones.data(), 1, size, file) == size);
        std::fflush(file);
        begin = static_cast<volatile unsigned char*>(
            mmap(nullptr, size, PROT_READ, MAP_SHARED, fileno(file), 0));
        CHECK(begin != MAP_FAILED);
    }
    ~MappedFile() {
        munmap(const_cast<unsigned char*>(begin), size);
        std::fclose(file);
    }
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    void cut(std::size_t n_pages) const {
        CHECK(ftruncate(fileno(file), static_cast<off_t>(n_pages * page)) == 0);
    }
    const void* data() const { return const_cast<const unsigned char*>(begin); }

    std::FILE* file = std::tmpfile();
    std::size_t page, size;
    volatile unsigned char* begin;
};

}  // namespace

TEST(a_file_cut_off_while_it_is_mapped_reads_as_zeros_there) {
    const MappedFile whole(4), cut(4);
    const MapGuard of_whole(whole.data(), whole.size), of_cut(cut.data(), cut.size);
    CHECK(cut.begin[3 * cut.page] == 1);
    CHECK(!of_cut.broken());
    cut.cut(2);
    CHECK(cut.begin[2 * cut.page - 1] == 1);
    CHECK(!of_cut.broken());
    CHECK(cut.begin[2 * cut.page] == 0);
    CHECK(of_cut.broken());
    CHECK(cut.begin[4 * cut.page - 1] == 0);
    CHECK(cut.begin[0] == 1);
    // Only the file that was cut off is broken.
    CHECK(whole.begin[3 * whole.page] == 1);
    CHECK(!of_whole.broken());
}

TEST(a_range_is_guarded_again_after_many_others) {
    const MappedFile file(2);
    for (int round = 0; round < 3; ++round) {
        std::vector<std::unique_ptr<MapGuard>> many;
        for (int i = 0; i < 300; ++i)  // more than can be guarded
            many.push_back(std::make_unique<MapGuard>(file.data(), file.size));
        for (const auto& guard : many) CHECK(!guard->broken());
    }
    const MapGuard guard(file.data(), file.size);
    file.cut(1);
    CHECK(file.begin[file.page] == 0);
    CHECK(guard.broken());
}
#endif
