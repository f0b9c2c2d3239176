// SPDX-License-Identifier: BSD-3-Clause
// What the graphics card is doing, asked of NVIDIA's management library, which is loaded at run time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace reber {

/// One card at one moment. Empty where the card does not tell.
struct DeviceReading {
  std::string name, driver;
  std::optional<std::int64_t> memory_used_bytes, memory_total_bytes;
  std::optional<int> busy_percent, memory_busy_percent;  ///< part of the last second with work
  std::optional<int> temperature_c;
  std::optional<int> clock_mhz, clock_max_mhz, memory_clock_mhz;
  std::optional<double> power_w;
  /// Of PCI Express: the generation that it reaches at work, lanes in use, and lanes that the card has.
  std::optional<int> link_generation, link_width, link_width_max;
  std::optional<int> nvlinks;  ///< that are up
};

/// Keeps the library and its cards open. Everything works without them: why_not() then says what is missing.
class DeviceMonitor {
 public:
  /// library: for tests, in place of the driver's libnvidia-ml.so.1.
  explicit DeviceMonitor(const std::string& library = "libnvidia-ml.so.1");
  ~DeviceMonitor();
  DeviceMonitor(const DeviceMonitor&) = delete;
  DeviceMonitor& operator=(const DeviceMonitor&) = delete;

  [[nodiscard]] bool available() const { return why_not().empty(); }
  [[nodiscard]] const std::string& why_not() const;
  /// One entry per card; takes some milliseconds, so ask from a worker or once a second.
  [[nodiscard]] std::vector<DeviceReading> read() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reber
