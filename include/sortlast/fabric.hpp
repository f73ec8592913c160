// Fabric: topologies and their files, routing, placement, contention.
#pragma once

#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/files.hpp"
#include "sortlast/fabric/loads.hpp"
#include "sortlast/fabric/nodes.hpp"
#include "sortlast/fabric/pattern.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/table_search.hpp"
#include "sortlast/fabric/topology.hpp"
