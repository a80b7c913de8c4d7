// The Python module `_belief`: observation histories and assignments for boards of any size.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "mask.hpp"
#include "observations.hpp"
#include "repair.hpp"
#include "rng.hpp"
#include "should_stop.hpp"

namespace nb = nanobind;

namespace {

using namespace kernel;

std::span<const std::uint8_t> bytes_of(const nb::bytes& given) {
    return {static_cast<const std::uint8_t*>(given.data()), given.size()};
}

// The operations of an assignment, for boards of any size.
struct AnyAssignment {
    virtual ~AnyAssignment() = default;
    virtual std::unique_ptr<AnyAssignment> copy() const = 0;
    virtual void extend(nb::object rng, int steps, const nb::object& should_stop) = 0;
    virtual bool repair(nb::object rng, int steps, const nb::object& should_stop) = 0;
    virtual void randomize(nb::object rng, int steps, const nb::object& should_stop) = 0;
    virtual int conflicts() const = 0;
    virtual int length() const = 0;
    virtual nb::int_ stones() const = 0;
    virtual int point(int time) const = 0;
    virtual nb::list boards(const std::vector<int>& times) const = 0;
    virtual std::vector<int> mismatches() const = 0;
    virtual int first_changed() const = 0;
    virtual void set_changed(int time) = 0;
};

struct AnyHistory {
    virtual ~AnyHistory() = default;
    virtual void seat(nb::bytes placed) = 0;
    virtual void expect(std::vector<double> log_odds) = 0;
    virtual void hear(int kind, int point, nb::bytes gone, int count, int atari, bool self_atari, bool ends, int shown,
                      std::vector<int> boards, nb::bytes after) = 0;
    virtual std::unique_ptr<AnyAssignment> assignment() const = 0;
};

// Runs `work` with a generator in the state of a Python one, which is updated afterwards even if `work` throws.
template <class Work>
auto with_rng(nb::object owner, Work work) {
    Rng rng(nb::cast<std::uint64_t>(owner.attr("state")));
    try {
        const auto made = work(rng);
        owner.attr("state") = rng.state();
        return made;
    } catch (...) {
        owner.attr("state") = rng.state();
        throw;
    }
}

template <class Points>
class AssignmentOf final : public AnyAssignment {
  public:
    AssignmentOf(std::shared_ptr<const ObservationHistory<Points>> history, char colour)
        : assignment_(std::move(history)), colour_(colour) {}

    std::unique_ptr<AnyAssignment> copy() const override { return std::make_unique<AssignmentOf>(*this); }

    void extend(nb::object rng, int steps, const nb::object& should_stop) override {
        with_rng(std::move(rng),
                 [&](Rng& drawn) { return assignment_.extend(drawn, steps, asker(should_stop)), true; });
    }
    bool repair(nb::object rng, int steps, const nb::object& should_stop) override {
        return with_rng(std::move(rng),
                        [&](Rng& drawn) { return assignment_.repair(drawn, steps, asker(should_stop)); });
    }
    void randomize(nb::object rng, int steps, const nb::object& should_stop) override {
        with_rng(std::move(rng),
                 [&](Rng& drawn) { return assignment_.randomize(drawn, steps, asker(should_stop)), true; });
    }
    int conflicts() const override { return assignment_.conflicts(); }
    int length() const override { return assignment_.length(); }
    nb::int_ stones() const override {
        const std::string digits = assignment_.stones().hex();
        return nb::steal<nb::int_>(PyLong_FromString(digits.c_str(), nullptr, 16));
    }
    int point(int time) const override { return assignment_.point(time); }
    nb::list boards(const std::vector<int>& times) const override {
        nb::list made;
        for (int time : times) {
            const std::vector<char> stones = assignment_.board(time, colour_, static_cast<char>(3 - colour_));
            made.append(nb::bytes(stones.data(), stones.size()));
        }
        return made;
    }
    std::vector<int> mismatches() const override { return assignment_.mismatches(); }
    int first_changed() const override { return assignment_.first_changed; }
    void set_changed(int time) override { assignment_.first_changed = time; }

  private:
    Assignment<Points> assignment_;
    char colour_;  // of the seat

    static ShouldStop asker(const nb::object& should_stop) {
        return [should_stop] {
            const int is_enough = PyObject_IsTrue(should_stop().ptr());
            if (is_enough < 0) throw nb::python_error();
            return is_enough == 1;
        };
    }
};

template <class Points>
class HistoryOf final : public AnyHistory {
  public:
    HistoryOf(const std::vector<std::vector<int>>& neighbours, const std::vector<int>& rings, int colour,
              AtariRule atari, SelfAtariRule self_atari, const Prior& prior)
        : history_(std::make_shared<ObservationHistory<Points>>(neighbours, rings, atari, self_atari, prior)),
          colour_(static_cast<char>(colour)) {}

    void seat(nb::bytes placed) override { history_->seat(Points::of_bytes(bytes_of(placed))); }

    void expect(std::vector<double> log_odds) override {
        if (static_cast<int>(log_odds.size()) != history_->size)
            throw std::invalid_argument("log odds: expected one for each point");
        for (const double each : log_odds)
            if (!std::isfinite(each)) throw std::invalid_argument("log odds: expected finite numbers");
        history_->expect(std::move(log_odds));
    }

    void hear(int kind, int point, nb::bytes gone, int count, int atari, bool self_atari, bool ends, int shown,
              std::vector<int> boards, nb::bytes after) override {
        Observation<Points> observation;
        observation.kind = static_cast<ObservationKind>(kind);
        observation.point = point;
        observation.gone = Points::of_bytes(bytes_of(gone));
        observation.count = count;
        observation.atari = atari;
        observation.self_atari = self_atari;
        observation.ends = ends;
        observation.shown = static_cast<Shown>(shown);
        observation.boards = std::move(boards);
        history_->hear(std::move(observation), Points::of_bytes(bytes_of(after)));
    }

    std::unique_ptr<AnyAssignment> assignment() const override {
        return std::make_unique<AssignmentOf<Points>>(history_, colour_);
    }

  private:
    std::shared_ptr<ObservationHistory<Points>> history_;
    char colour_;
};

std::unique_ptr<AnyHistory> make_history(const std::vector<std::vector<int>>& neighbours, const std::vector<int>& rings,
                                         int colour, const std::string& atari, const std::string& self_atari,
                                         double early, std::vector<double> line, std::vector<double> early_line,
                                         std::vector<double> beside_theirs, std::vector<double> beside_ours,
                                         double near_theirs, double eye) {
    if (line.size() != Prior::LINES || early_line.size() != Prior::LINES || beside_theirs.size() != Prior::COUNTS ||
        beside_ours.size() != Prior::COUNTS)
        throw std::invalid_argument("a prior has four weights of each kind");
    const Prior prior{
        early, std::move(line), std::move(early_line), std::move(beside_theirs), std::move(beside_ours), near_theirs,
        eye};
    const AtariRule atari_rule = atari == "all" ? AtariRule::ALL : atari == "none" ? AtariRule::NONE : AtariRule::NEW;
    const SelfAtariRule self_atari_rule = self_atari == "new_only" ? SelfAtariRule::NEW_ONLY
                                   : self_atari == "none"   ? SelfAtariRule::NONE
                                                            : SelfAtariRule::ALWAYS;
    const auto make = [&]<class Points>(std::type_identity<Points>) -> std::unique_ptr<AnyHistory> {
        return std::make_unique<HistoryOf<Points>>(neighbours, rings, colour, atari_rule, self_atari_rule, prior);
    };
    const std::size_t size = neighbours.size();
    if (size <= 64) return make(std::type_identity<Mask<1>>{});
    if (size <= 128) return make(std::type_identity<Mask<2>>{});
    if (size <= 192) return make(std::type_identity<Mask<3>>{});
    if (size <= 384) return make(std::type_identity<Mask<6>>{});
    if (size <= 640) return make(std::type_identity<Mask<10>>{});
    throw std::invalid_argument("a board of " + std::to_string(size) + " points: expected at most 640");
}

}  // namespace

NB_MODULE(_belief, module) {
    nb::class_<AnyAssignment>(module, "Assignment")
        .def("copy", &AnyAssignment::copy)
        .def("extend", &AnyAssignment::extend, nb::arg("rng"), nb::arg("steps"), nb::arg("should_stop"))
        .def("repair", &AnyAssignment::repair, nb::arg("rng"), nb::arg("steps"), nb::arg("should_stop"))
        .def("randomize", &AnyAssignment::randomize, nb::arg("rng"), nb::arg("steps"), nb::arg("should_stop"))
        .def("point", &AnyAssignment::point, nb::arg("time"))
        .def("boards", &AnyAssignment::boards, nb::arg("times"))
        .def("mismatches", &AnyAssignment::mismatches)
        .def_prop_ro("conflicts", &AnyAssignment::conflicts)
        .def_prop_ro("length", &AnyAssignment::length)
        .def_prop_ro("stones", &AnyAssignment::stones)
        .def_prop_rw("first_changed", &AnyAssignment::first_changed, &AnyAssignment::set_changed);

    nb::class_<AnyHistory>(module, "ObservationHistory")
        .def("seat", &AnyHistory::seat, nb::arg("placed"))
        .def("expect", &AnyHistory::expect, nb::arg("log_odds"))
        .def("hear", &AnyHistory::hear, nb::arg("kind"), nb::arg("point"), nb::arg("gone"), nb::arg("count"),
             nb::arg("atari"), nb::arg("self_atari"), nb::arg("ends"), nb::arg("shown"), nb::arg("boards"),
             nb::arg("after"))
        .def("assignment", &AnyHistory::assignment);

    module.def("make_history", &make_history, nb::arg("neighbours"), nb::arg("rings"), nb::arg("colour"),
               nb::arg("atari"), nb::arg("self_atari"), nb::arg("early"), nb::arg("line"), nb::arg("early_line"),
               nb::arg("beside_theirs"), nb::arg("beside_ours"), nb::arg("near_theirs"), nb::arg("eye"));
}
