"""Navaridas et al., "Reducing Complexity in Tree-like Computer Interconnection Networks" (2007), computed.

Eight networks, seven patterns, five sizes of messages: 280 cells, each simulated packet by packet, 9.65 G
packet-hops in all, 90 % of them at 100 KB. The five networks of set "a" have 4096 nodes each, the networks of
set "b" switches of 12 ports; two networks are in both.
"""

PICTURE = "figure-6"
SUMMARY = (
    'Thin-trees and slender-trees compared with fat-trees: Navaridas et al., "Reducing Complexity in '
    'Tree-like Computer Interconnection Networks" (2007).'
)
