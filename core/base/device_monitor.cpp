// SPDX-License-Identifier: BSD-3-Clause
// The few calls of NVML that are needed, by their published signatures (NVIDIA, NVML API Reference Guide). Its header
// is not: the numbers below are part of its binary interface.
#include "core/base/device_monitor.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

namespace reber {
namespace {

using Result = int;  // 0: success
using Device = void*;
struct Memory {
  unsigned long long total, free, used;
};
struct Utilization {
  unsigned int gpu, memory;
};
constexpr unsigned int kSensorGpu = 0, kClockSm = 1, kClockMemory = 2;

struct Calls {
  Result (*init)() = nullptr;
  Result (*shutdown)() = nullptr;
  Result (*driver_version)(char*, unsigned int) = nullptr;
  Result (*count)(unsigned int*) = nullptr;
  Result (*handle)(unsigned int, Device*) = nullptr;
  Result (*name)(Device, char*, unsigned int) = nullptr;
  Result (*memory)(Device, Memory*) = nullptr;
  Result (*utilization)(Device, Utilization*) = nullptr;
  Result (*temperature)(Device, unsigned int, unsigned int*) = nullptr;
  Result (*clock)(Device, unsigned int, unsigned int*) = nullptr;
  Result (*max_clock)(Device, unsigned int, unsigned int*) = nullptr;
  Result (*power)(Device, unsigned int*) = nullptr;
  Result (*link_generation)(Device, unsigned int*) = nullptr;
  Result (*link_width)(Device, unsigned int*) = nullptr;
  Result (*link_width_max)(Device, unsigned int*) = nullptr;
  Result (*nvlink_state)(Device, unsigned int, unsigned int*) = nullptr;
  const char* (*error)(Result) = nullptr;
};

template <class Function>
void resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));  // dlsym has no typed form
}

Calls resolve_all(void* library) {
  Calls calls;
  resolve(library, "nvmlInit_v2", calls.init);
  resolve(library, "nvmlShutdown", calls.shutdown);
  resolve(library, "nvmlSystemGetDriverVersion", calls.driver_version);
  resolve(library, "nvmlDeviceGetCount_v2", calls.count);
  resolve(library, "nvmlDeviceGetHandleByIndex_v2", calls.handle);
  resolve(library, "nvmlDeviceGetName", calls.name);
  resolve(library, "nvmlDeviceGetMemoryInfo", calls.memory);
  resolve(library, "nvmlDeviceGetUtilizationRates", calls.utilization);
  resolve(library, "nvmlDeviceGetTemperature", calls.temperature);
  resolve(library, "nvmlDeviceGetClockInfo", calls.clock);
  resolve(library, "nvmlDeviceGetMaxClockInfo", calls.max_clock);
  resolve(library, "nvmlDeviceGetPowerUsage", calls.power);
  resolve(library, "nvmlDeviceGetMaxPcieLinkGeneration", calls.link_generation);
  resolve(library, "nvmlDeviceGetCurrPcieLinkWidth", calls.link_width);
  resolve(library, "nvmlDeviceGetMaxPcieLinkWidth", calls.link_width_max);
  resolve(library, "nvmlDeviceGetNvLinkState", calls.nvlink_state);
  resolve(library, "nvmlErrorString", calls.error);
  return calls;
}

/// The number that a call gives, or none where the call is missing or the card does not tell.
template <class Call, class... Arguments>
std::optional<int> number(const Call& call, Arguments... arguments) {
  unsigned int value = 0;
  if (call == nullptr || call(arguments..., &value) != 0) return std::nullopt;
  return static_cast<int>(value);
}

/// Links that are up, of those that the card has.
std::optional<int> nvlinks_up(const Calls& calls, Device device) {
  constexpr unsigned int kMostLinks = 36;
  std::optional<int> up;
  for (unsigned int link = 0; link < kMostLinks; ++link) {
    const std::optional<int> state = number(calls.nvlink_state, device, link);
    if (!state) break;
    up = up.value_or(0) + (*state == 1 ? 1 : 0);
  }
  return up;
}

}  // namespace

struct DeviceMonitor::State {
  void* library = nullptr;
  Calls calls;
  bool started = false;
  std::string why_not, driver;
  std::vector<Device> devices;

  void open(const std::string& path) {
    library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      why_not = fmt::format("{} is not here: it comes with NVIDIA's driver", path);
      return;
    }
    calls = resolve_all(library);
    if (calls.init == nullptr || calls.shutdown == nullptr || calls.count == nullptr || calls.handle == nullptr) {
      why_not = fmt::format("{} lacks the calls that are needed", path);
      return;
    }
    const Result result = calls.init();
    if (result != 0) {
      why_not = fmt::format("{} does not start: {}", path,
                            calls.error != nullptr ? calls.error(result) : fmt::format("error {}", result));
      return;
    }
    started = true;
    std::array<char, 96> text{};
    if (calls.driver_version != nullptr && calls.driver_version(text.data(), text.size() - 1) == 0)
      driver = text.data();
    unsigned int count = 0;
    if (calls.count(&count) != 0) count = 0;
    for (unsigned int i = 0; i < count; ++i) {
      Device device = nullptr;
      if (calls.handle(i, &device) == 0) devices.push_back(device);
    }
    if (devices.empty()) why_not = "there is no NVIDIA card that this user may see";
  }

  ~State() {
    if (started) calls.shutdown();
    if (library != nullptr) ::dlclose(library);
  }
};

DeviceMonitor::DeviceMonitor(const std::string& library) : state_(std::make_unique<State>()) { state_->open(library); }
DeviceMonitor::~DeviceMonitor() = default;

const std::string& DeviceMonitor::why_not() const { return state_->why_not; }

std::vector<DeviceReading> DeviceMonitor::read() const {
  std::vector<DeviceReading> readings;
  const Calls& calls = state_->calls;
  for (Device device : state_->devices) {
    DeviceReading reading;
    reading.driver = state_->driver;
    std::array<char, 96> text{};
    if (calls.name != nullptr && calls.name(device, text.data(), text.size() - 1) == 0) reading.name = text.data();
    Memory memory{};
    if (calls.memory != nullptr && calls.memory(device, &memory) == 0) {
      reading.memory_used_bytes = static_cast<std::int64_t>(memory.used);
      reading.memory_total_bytes = static_cast<std::int64_t>(memory.total);
    }
    Utilization busy{};
    if (calls.utilization != nullptr && calls.utilization(device, &busy) == 0) {
      reading.busy_percent = static_cast<int>(busy.gpu);
      reading.memory_busy_percent = static_cast<int>(busy.memory);
    }
    reading.temperature_c = number(calls.temperature, device, kSensorGpu);
    reading.clock_mhz = number(calls.clock, device, kClockSm);
    reading.clock_max_mhz = number(calls.max_clock, device, kClockSm);
    reading.memory_clock_mhz = number(calls.clock, device, kClockMemory);
    if (const auto milliwatts = number(calls.power, device)) reading.power_w = *milliwatts * 1e-3;
    reading.link_generation = number(calls.link_generation, device);
    reading.link_width = number(calls.link_width, device);
    reading.link_width_max = number(calls.link_width_max, device);
    reading.nvlinks = nvlinks_up(calls, device);
    readings.push_back(std::move(reading));
  }
  return readings;
}

}  // namespace reber
