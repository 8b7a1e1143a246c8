// A test is a function; CHECK says what failed and where; main runs them all or the one named.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace check {

struct Case {
    const char* name;
    void (*run)();
};

inline std::vector<Case>& cases() {
    static std::vector<Case> list;
    return list;
}

inline int& failures() {
    static int count = 0;
    return count;
}

struct Register {
    Register(const char* name, void (*run)()) { cases().push_back({name, run}); }
};

inline int run_all() {
    for (const Case& c : cases()) {
        const int before = failures();
        c.run();
        std::printf("%-6s %s\n", failures() == before ? "ok" : "FAILED", c.name);
    }
    std::printf("%zu tests, %d failed checks\n", cases().size(), failures());
    return failures() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace check

#define TEST(name)                                                    \
    static void test_##name();                                        \
    static const check::Register register_##name(#name, test_##name); \
    static void test_##name()

#define CHECK(condition)                                                         \
    do {                                                                         \
        if (!(condition)) {                                                      \
            std::printf("%s:%d: %s is false\n", __FILE__, __LINE__, #condition); \
            ++check::failures();                                                 \
        }                                                                        \
    } while (false)

#define CHECK_CLOSE(left, right, tolerance)                                                       \
    do {                                                                                          \
        const double l_ = (left), r_ = (right);                                                   \
        if (!(l_ - r_ <= (tolerance) && r_ - l_ <= (tolerance))) {                                \
            std::printf("%s:%d: %s = %.17g, %s = %.17g\n", __FILE__, __LINE__, #left, l_, #right, \
                        r_);                                                                      \
            ++check::failures();                                                                  \
        }                                                                                         \
    } while (false)
