// Simulation: traffic on a fabric, as packets or as flows, and frames of a schedule on it.
#pragma once

#include "sortlast/simulate/flow.hpp"
#include "sortlast/simulate/lanes.hpp"
#include "sortlast/simulate/packet.hpp"
#include "sortlast/simulate/program.hpp"
#include "sortlast/simulate/traffic.hpp"
