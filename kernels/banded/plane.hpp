// SPDX-License-Identifier: BSD-3-Clause
// A plane of many backends: a way to have any of its rows as a plane of one of them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/seam/compute/backend.hpp"
#include "kernels/banded/members.hpp"
#include "kernels/banded/rows.hpp"

namespace reber::banded {

class BandedPlane;

/// Rows that will be asked for, and the part of whose member.
struct Asked {
  Rows rows;
  std::size_t part = 0;
};

/// Makes rows of a plane on a member.
class RowsOnMember {
 public:
  virtual ~RowsOnMember() = default;
  /// A member's plane that is exactly these rows. The outermost `margin` rows of the plane may be wrong where the image
  /// goes on.
  [[nodiscard]] virtual std::shared_ptr<const Plane> make(Backend& by, Rows rows, const Job& job) const = 0;
  /// Brings to the host what make() will need of members for these rows; called while none of them is at work.
  virtual void prepare(const std::vector<Asked>& wanted, const Job& job) const = 0;
};

/// Some rows of a source, as a source.
[[nodiscard]] std::shared_ptr<const PixelSource> window_of(std::shared_ptr<const PixelSource> source, Rows rows);
/// The same; the caller keeps the source.
[[nodiscard]] std::unique_ptr<PixelSource> window_of(const PixelSource& source, Rows rows);
/// Rows of a source on a member: whole where that is little, else left in it.
[[nodiscard]] std::shared_ptr<const Plane> plane_of(Backend& by, std::shared_ptr<const PixelSource> source,
                                                    const TilingPlan& tiling, const Job& job);

/// Bands of rows, one per member, held from the start; and other rows, such as those about the borders of bands, made
/// when they are asked for and held until others are. Copies share them.
class BandedPlane final : public Plane {
 public:
  /// Of a way to make rows.   margin: rows at a band's edges that hold no right value
  BandedPlane(std::shared_ptr<Members> members, Shape shape, std::vector<Rows> bands, std::int64_t margin,
              std::shared_ptr<const RowsOnMember> maker);
  /// Of planes that are kept, band by band: other rows are brought from them. tiling: a member's
  BandedPlane(std::shared_ptr<Members> members, Shape shape, std::vector<Rows> bands,
              std::vector<std::shared_ptr<const Plane>> kept, const TilingPlan& tiling);

  [[nodiscard]] Shape shape() const override { return state_->shape; }
  [[nodiscard]] std::int64_t blank() const override { return counts().blank; }
  [[nodiscard]] std::int64_t infinite() const override { return counts().infinite; }
  [[nodiscard]] const void* home() const { return state_->members.get(); }

  [[nodiscard]] const std::vector<Rows>& bands() const { return state_->bands; }
  [[nodiscard]] std::int64_t margin() const { return state_->margin; }
  /// The rows of each band that hold right values.
  [[nodiscard]] std::vector<Rows> valid_bands() const;
  [[nodiscard]] Rows all() const { return {0, shape().ny}; }
  /// The same for all copies, and for no other plane.
  [[nodiscard]] const void* identity() const { return state_.get(); }

  /// Where other processes have bands: blank pixels of all, known while each has just walked over its own.
  void share_counts(const Job& job) const;

  /// Makes the bands, each on its member.
  void make_bands(const Job& job) const;
  /// To be called before rows() is, for all that members will ask for.
  void prepare(const std::vector<Asked>& wanted, const Job& job) const;
  /// The bands, each with its own member.
  [[nodiscard]] std::vector<Asked> asked_bands() const;
  /// Exactly these rows on this member, whose thread calls.
  [[nodiscard]] std::shared_ptr<const Plane> rows(Backend& by, Rows wanted, const Job& job) const;

  /// A rectangle of pixels, on the host.
  void render(const Rect& where, float* out, const Job& job) const;

 private:
  struct Counts {
    std::int64_t blank = 0, infinite = 0;
  };
  struct Held {
    Rows rows;
    const Backend* by;
    std::shared_ptr<const Plane> plane;
  };
  struct State {
    std::shared_ptr<Members> members;
    Shape shape;
    std::vector<Rows> bands;
    std::int64_t margin = 0;
    std::shared_ptr<const RowsOnMember> maker;  ///< null where the bands are kept
    TilingPlan tiling;                          ///< of a member, where they are
    std::vector<std::pair<Rows, std::shared_ptr<const PixelSource>>> on_host;
    std::mutex mutex;
    std::vector<Held> held, others;  ///< bands; other rows, the latest last
    std::optional<Counts> counts;
    bool told = false;  ///< whether other processes were told of the counts
  };

  [[nodiscard]] Counts counts() const;
  [[nodiscard]] Counts counts_of_bands(bool shared, const Job& job) const;
  [[nodiscard]] bool is_band(Rows rows) const;
  [[nodiscard]] std::shared_ptr<const Plane> held(const Backend& by, Rows wanted) const;

  std::shared_ptr<State> state_;
};

/// A model for `rows` of its image on a member: nodes that all of them lie between, or `cells` alone.
[[nodiscard]] BackgroundModel model_for(const BackgroundModel& model, Rows rows, Backend& by, const Job& job,
                                        std::optional<Rows> cells = {});
/// To be called before model_for() is: prepares the maps of a model.
void prepare_maps(const BackgroundModel& model, const std::vector<Asked>& wanted, const Job& job);

/// Calls of one render(): what lies in bands is read there, what no band has right is read about their borders.
void render_banded(Members& members, MapKind kind, const BandedPlane& plane, const BackgroundModel* background,
                   const Rect& where, float* out, const Job& job);

}  // namespace reber::banded
