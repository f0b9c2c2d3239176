// SPDX-License-Identifier: BSD-3-Clause
// A derived plane keeps what it is made of, and makes any rows of it on any member.
#include "kernels/banded/derived.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace reber::banded {
namespace {

/// Rows made of rows of other planes.
class DerivedRows final : public RowsOnMember {
 public:
  using Make = std::function<std::shared_ptr<const Plane>(Backend& by, Rows rows, const Job& job)>;
  DerivedRows(std::vector<BandedPlane> of, Make make) : of_(std::move(of)), make_(std::move(make)) {}
  [[nodiscard]] std::shared_ptr<const Plane> make(Backend& by, Rows rows, const Job& job) const override {
    return make_(by, rows, job);
  }
  void prepare(const std::vector<Asked>& wanted, const Job& job) const override {
    for (const BandedPlane& plane : of_) plane.prepare(wanted, job);
  }

 private:
  std::vector<BandedPlane> of_;
  Make make_;
};

std::unique_ptr<BandedPlane> plane_of_rows(const std::shared_ptr<Members>& members, const BandedPlane& like,
                                           std::int64_t margin, std::vector<BandedPlane> of, DerivedRows::Make make,
                                           const Job& job) {
  auto plane = std::make_unique<BandedPlane>(members, like.shape(), like.bands(), margin,
                                             std::make_shared<const DerivedRows>(std::move(of), std::move(make)));
  plane->make_bands(job);
  return plane;
}

/// A plane that one member makes of all rows.
template <class Work>
std::unique_ptr<Plane> made_whole(const std::shared_ptr<Members>& members, const BandedPlane& plane, const Job& job,
                                  const Work& work) {
  plane.prepare({{plane.all(), 0}}, job);
  std::shared_ptr<const Plane> made;
  members->run({{0, [&](Backend& by, const Job& own) { made = work(by, *plane.rows(by, plane.all(), own), own); }}},
               job);
  if (!made) return nullptr;
  const Shape shape = made->shape();
  return std::make_unique<BandedPlane>(members, shape, std::vector<Rows>{{0, shape.ny}},
                                       std::vector<std::shared_ptr<const Plane>>{std::move(made)}, TilingPlan{});
}

/// One function per row of PlaneExpression.
class Deriver {
 public:
  Deriver(const std::shared_ptr<Members>& members, const Job& job) : members_(members), job_(job) {}

  std::unique_ptr<Plane> operator()(const OwnSnr<BandedPlane>& of) const {
    std::vector<BandedPlane> from{of.plane};
    if (of.background.mean_map != nullptr) from.push_back(*of.background.mean_map);
    if (of.background.rms_map != nullptr) from.push_back(*of.background.rms_map);
    std::int64_t margin = 0;
    for (const BandedPlane& one : from) margin = std::max(margin, one.margin());
    const auto model = std::make_shared<const BackgroundModel>(of.background.model);
    const auto make = [plane = of.plane, model](Backend& by, Rows rows,
                                                const Job& job) -> std::shared_ptr<const Plane> {
      const auto pixels = plane.rows(by, rows, job);
      return by.derive(SnrPlane{*pixels, model_for(*model, rows, by, job)}, job);
    };
    return plane_of_rows(members_, of.plane, margin, from, make, job_);
  }
  std::unique_ptr<Plane> operator()(const OwnCombined<BandedPlane>& of) const {
    const auto make = [a = of.a, b = of.b, rule = of.rule](Backend& by, Rows rows,
                                                           const Job& job) -> std::shared_ptr<const Plane> {
      const auto one = a.rows(by, rows, job), other = b.rows(by, rows, job);
      return by.derive(CombinedPlane{rule, *one, *other}, job);
    };
    return plane_of_rows(members_, of.a, std::max(of.a.margin(), of.b.margin()), {of.a, of.b}, make, job_);
  }
  std::unique_ptr<Plane> operator()(const OwnWithoutIslands<BandedPlane, BandedIslands>& of) const {
    const auto make = [plane = of.plane, runs = of.islands.runs(), options = of.islands.options(), grow = of.grow](
                          Backend& by, Rows rows, const Job& job) -> std::shared_ptr<const Plane> {
      const auto pixels = plane.rows(by, rows, job);
      const auto islands = by.islands_of(clipped(*runs, rows), options, job);
      return by.derive(WithoutIslands{*pixels, *islands, grow}, job);
    };
    return plane_of_rows(members_, of.plane, of.plane.margin() + of.grow, {of.plane}, make, job_);
  }
  std::unique_ptr<Plane> operator()(const OwnEveryNth<BandedPlane>& of) const {
    return made_whole(members_, of.plane, job_, [&](Backend& by, const Plane& pixels, const Job& job) {
      return by.derive(EveryNth{pixels, of.n}, job);
    });
  }
  std::unique_ptr<Plane> operator()(const OwnMinusMagnitude<BandedPlane>& of) const {
    const auto make = [plane = of.plane](Backend& by, Rows rows, const Job& job) -> std::shared_ptr<const Plane> {
      return by.derive(MinusMagnitude{*plane.rows(by, rows, job)}, job);
    };
    return plane_of_rows(members_, of.plane, of.plane.margin(), {of.plane}, make, job_);
  }

 private:
  const std::shared_ptr<Members>& members_;
  const Job& job_;
};

bool is_low(const BandedPlane& plane, std::int64_t reach) {
  return std::ranges::any_of(plane.bands(), [&](Rows band) { return band.size() <= 2 * (reach + plane.margin()); });
}

/// Rows that a row of the result depends on; nothing where one member is to do all of it. Weights are divided out
/// wherever an image has blank pixels, in bands without any as well.
std::optional<std::int64_t> reach_of(const BandedPlane& plane, const BandedConvolution& plan) {
  const auto reach = plan.reach();
  if (!reach || plane.bands().size() < 2 || is_low(plane, *reach)) return std::nullopt;
  if (plan.spec().nan == NanRule::interpolate && plane.blank() > 0) return std::nullopt;
  return reach;
}

}  // namespace

BandedConvolution::BandedConvolution(std::shared_ptr<Members> members, std::shared_ptr<const ConvolutionPlan> whole)
    : members_(std::move(members)), whole_(std::move(whole)) {}

std::optional<std::int64_t> BandedConvolution::reach() const {
  if (algorithm() == Algorithm::fft || spec().boundary == Boundary::wrap) return std::nullopt;
  return spec().kernel.shape.ny / 2 + 1;
}

std::shared_ptr<const ConvolutionPlan> BandedConvolution::on(Backend& by, Shape rows, const Job& job) const {
  if (rows == shape() && &by == &members_->of(0)) return whole_;
  {
    const std::lock_guard lock(plans_->mutex);
    for (const Made& made : plans_->made)
      if (made.by == &by && made.shape == rows) return made.plan;
  }
  std::shared_ptr<const ConvolutionPlan> plan = by.plan_convolution(spec(), rows, algorithm(), job);
  const std::lock_guard lock(plans_->mutex);
  plans_->made.push_back({&by, rows, plan});
  return plan;
}

std::unique_ptr<Plane> derive(const std::shared_ptr<Members>& members,
                              const OwnExpression<BandedPlane, BandedIslands>& what, const Job& job) {
  return std::visit(Deriver(members, job), what);
}

std::unique_ptr<Plane> convolve(const std::shared_ptr<Members>& members, const BandedPlane& plane,
                                const BandedConvolution& plan, const Job& job) {
  const auto reach = reach_of(plane, plan);
  if (!reach)
    return made_whole(members, plane, job, [&](Backend& by, const Plane& pixels, const Job& own) {
      return by.convolve(pixels, *plan.on(by, pixels.shape(), own), own);
    });
  const auto make = [plane, plan](Backend& by, Rows rows, const Job& own) -> std::shared_ptr<const Plane> {
    const auto pixels = plane.rows(by, rows, own);
    return by.convolve(*pixels, *plan.on(by, pixels->shape(), own), own);
  };
  return plane_of_rows(members, plane, plane.margin() + *reach, {plane}, make, job);
}

std::unique_ptr<Plane> convolve_later(const std::shared_ptr<Members>& members, const BandedPlane& plane,
                                      const BandedConvolution& plan, const Job& job) {
  const auto reach = reach_of(plane, plan);
  if (!reach)
    return made_whole(members, plane, job, [&](Backend& by, const Plane& pixels, const Job& own) {
      return by.convolve_later(pixels, *plan.on(by, pixels.shape(), own), own);
    });
  const auto make = [plane, plan](Backend& by, Rows rows, const Job& own) -> std::shared_ptr<const Plane> {
    const auto pixels = plane.rows(by, rows, own);
    return by.convolve_later(*pixels, *plan.on(by, pixels->shape(), own), own);
  };
  // A band that is made at once tells whether members have this.
  auto later =
      std::make_unique<BandedPlane>(members, plane.shape(), plane.bands(), plane.margin() + *reach,
                                    std::make_shared<const DerivedRows>(std::vector<BandedPlane>{plane}, make));
  later->make_bands(job);
  bool all = true;
  members->run({{0, [&](Backend& by, const Job& own) { all = later->rows(by, plane.bands()[0], own) != nullptr; }}},
               job);
  if (!all) return nullptr;
  return later;
}

}  // namespace reber::banded
