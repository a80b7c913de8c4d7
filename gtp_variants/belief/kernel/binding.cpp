// The Python module `_belief`: stories and menders for boards of any size.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mask.hpp"
#include "mender.hpp"
#include "rng.hpp"
#include "story.hpp"

namespace nb = nanobind;

namespace {

using namespace kernel;

std::span<const std::uint8_t> bytes_of(const nb::bytes& given) {
    return {static_cast<const std::uint8_t*>(given.data()), given.size()};
}

// What a mender of any size of board can be asked.
struct AnyMender {
    virtual ~AnyMender() = default;
    virtual std::unique_ptr<AnyMender> copy() const = 0;
    virtual void go_on(nb::object rng, int steps, const nb::object& enough) = 0;
    virtual bool mend(nb::object rng, int steps, const nb::object& enough) = 0;
    virtual void stir(nb::object rng, int steps, const nb::object& enough) = 0;
    virtual int wrong() const = 0;
    virtual int heard() const = 0;
    virtual nb::int_ stones() const = 0;
    virtual int point(int time) const = 0;
    virtual nb::list boards(const std::vector<int>& times) const = 0;
    virtual std::vector<int> faults() const = 0;
    virtual int changed() const = 0;
    virtual void set_changed(int time) = 0;
};

struct AnyStory {
    virtual ~AnyStory() = default;
    virtual void seat(nb::bytes placed) = 0;
    virtual void hear(int kind, int point, nb::bytes gone, int count, int atari, bool self_atari, bool ends, int shown,
                      std::vector<int> boards, nb::bytes after) = 0;
    virtual std::unique_ptr<AnyMender> mender() const = 0;
};

// Does something with a generator that has the state of a Python one, which gets it back, whatever happens.
template <class Work> auto with_rng(nb::object owner, Work work) {
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
class MenderOf final : public AnyMender {
  public:
    MenderOf(std::shared_ptr<const Story<Points>> story, char colour) : mender_(std::move(story)), colour_(colour) {}

    std::unique_ptr<AnyMender> copy() const override { return std::make_unique<MenderOf>(*this); }

    void go_on(nb::object rng, int steps, const nb::object& enough) override {
        with_rng(std::move(rng), [&](Rng& drawn) { return mender_.go_on(drawn, steps, asker(enough)), true; });
    }
    bool mend(nb::object rng, int steps, const nb::object& enough) override {
        return with_rng(std::move(rng), [&](Rng& drawn) { return mender_.mend(drawn, steps, asker(enough)); });
    }
    void stir(nb::object rng, int steps, const nb::object& enough) override {
        with_rng(std::move(rng), [&](Rng& drawn) { return mender_.stir(drawn, steps, asker(enough)), true; });
    }
    int wrong() const override { return mender_.wrong(); }
    int heard() const override { return mender_.heard(); }
    nb::int_ stones() const override {
        const std::string digits = mender_.stones().hex();
        return nb::steal<nb::int_>(PyLong_FromString(digits.c_str(), nullptr, 16));
    }
    int point(int time) const override { return mender_.point(time); }
    nb::list boards(const std::vector<int>& times) const override {
        nb::list made;
        for (int time : times) {
            const std::vector<char> stones = mender_.board(time, colour_, static_cast<char>(3 - colour_));
            made.append(nb::bytes(stones.data(), stones.size()));
        }
        return made;
    }
    std::vector<int> faults() const override { return mender_.faults(); }
    int changed() const override { return mender_.changed; }
    void set_changed(int time) override { mender_.changed = time; }

  private:
    Mender<Points> mender_;
    char colour_;  // of our stones

    static typename Mender<Points>::Enough asker(const nb::object& enough) {
        return [enough] {
            const int is_enough = PyObject_IsTrue(enough().ptr());
            if (is_enough < 0) throw nb::python_error();
            return is_enough == 1;
        };
    }
};

template <class Points>
class StoryOf final : public AnyStory {
  public:
    StoryOf(const std::vector<std::vector<int>>& neighbours, const std::vector<int>& rings, int colour, Counted atari,
            Said self_atari)
        : story_(std::make_shared<Story<Points>>(neighbours, rings, atari, self_atari)),
          colour_(static_cast<char>(colour)) {}

    void seat(nb::bytes placed) override { story_->seat(Points::of_bytes(bytes_of(placed))); }

    void hear(int kind, int point, nb::bytes gone, int count, int atari, bool self_atari, bool ends, int shown,
              std::vector<int> boards, nb::bytes after) override {
        Tick<Points> tick;
        tick.kind = static_cast<Kind>(kind);
        tick.point = point;
        tick.gone = Points::of_bytes(bytes_of(gone));
        tick.count = count;
        tick.atari = atari;
        tick.self_atari = self_atari;
        tick.ends = ends;
        tick.shown = static_cast<Shown>(shown);
        tick.boards = std::move(boards);
        story_->hear(std::move(tick), Points::of_bytes(bytes_of(after)));
    }

    std::unique_ptr<AnyMender> mender() const override { return std::make_unique<MenderOf<Points>>(story_, colour_); }

  private:
    std::shared_ptr<Story<Points>> story_;
    char colour_;
};

std::unique_ptr<AnyStory> make_story(const std::vector<std::vector<int>>& neighbours, const std::vector<int>& rings, int colour,
                                     const std::string& atari, const std::string& self_atari) {
    const Counted counted = atari == "all" ? Counted::ALL : atari == "none" ? Counted::NONE : Counted::NEW;
    const Said repeated = self_atari == "new_only" ? Said::NEW_ONLY
                              : self_atari == "none"   ? Said::NONE
                                                       : Said::ALWAYS;
    const std::size_t size = neighbours.size();
    if (size <= 64) return std::make_unique<StoryOf<Mask<1>>>(neighbours, rings, colour, counted, repeated);
    if (size <= 128) return std::make_unique<StoryOf<Mask<2>>>(neighbours, rings, colour, counted, repeated);
    if (size <= 192) return std::make_unique<StoryOf<Mask<3>>>(neighbours, rings, colour, counted, repeated);
    if (size <= 384) return std::make_unique<StoryOf<Mask<6>>>(neighbours, rings, colour, counted, repeated);
    if (size <= 640) return std::make_unique<StoryOf<Mask<10>>>(neighbours, rings, colour, counted, repeated);
    throw std::invalid_argument("a board of " + std::to_string(size) + " points: expected at most 640");
}

}  // namespace

NB_MODULE(_belief, module) {
    nb::class_<AnyMender>(module, "Mender")
        .def("copy", &AnyMender::copy)
        .def("go_on", &AnyMender::go_on, nb::arg("rng"), nb::arg("steps"), nb::arg("enough"))
        .def("mend", &AnyMender::mend, nb::arg("rng"), nb::arg("steps"), nb::arg("enough"))
        .def("stir", &AnyMender::stir, nb::arg("rng"), nb::arg("steps"), nb::arg("enough"))
        .def("point", &AnyMender::point, nb::arg("time"))
        .def("boards", &AnyMender::boards, nb::arg("times"))
        .def("faults", &AnyMender::faults)
        .def_prop_ro("wrong", &AnyMender::wrong)
        .def_prop_ro("heard", &AnyMender::heard)
        .def_prop_ro("stones", &AnyMender::stones)
        .def_prop_rw("changed", &AnyMender::changed, &AnyMender::set_changed);

    nb::class_<AnyStory>(module, "Story")
        .def("seat", &AnyStory::seat, nb::arg("placed"))
        .def("hear", &AnyStory::hear, nb::arg("kind"), nb::arg("point"), nb::arg("gone"), nb::arg("count"),
             nb::arg("atari"), nb::arg("self_atari"), nb::arg("ends"), nb::arg("shown"), nb::arg("boards"),
             nb::arg("after"))
        .def("mender", &AnyStory::mender);

    module.def("make_story", &make_story, nb::arg("neighbours"), nb::arg("rings"), nb::arg("colour"), nb::arg("atari"),
               nb::arg("self_atari"));
}
