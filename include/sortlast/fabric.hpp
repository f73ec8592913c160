// Fabric: topologies and their files, routing, placement, contention.
#pragma once

#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/edit.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/order.hpp"
#include "sortlast/fabric/pattern.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/read.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/topology.hpp"
#include "sortlast/fabric/write.hpp"
