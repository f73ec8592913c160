"""Fabrics whose switches have aggregation nodes, as NVIDIA's SHARP has them."""

from __future__ import annotations

import re

from sortlast import fabric


def tree(spines=2, leaves=3, hosts=4):
    """An ibnetdiscover file of two levels in which every switch has an aggregation node on its last port."""
    net = fabric.pgft(m=[hosts, leaves], w=[1, spines], p=[1, 1])
    text = fabric.write_ibnetdiscover(fabric.assign_lids(net))
    for number, switch in enumerate(net.switches):
        guid, port = f"{0xAA00 + number:016x}", switch.ports + 1
        switch_id = f"S-{switch.guid:016x}"
        text = text.replace(f'Switch\t{switch.ports} "{switch_id}"', f'Switch\t{port} "{switch_id}"')
        head = re.search(rf'^Switch\t{port} "{switch_id}".*$', text, re.MULTILINE)
        assert head is not None
        name = f"Mellanox Technologies Aggregation Node {number}"
        line = f'[{port}]\t"H-{guid}"[1]({guid}) \t\t# "{name}" lid {900 + number} 4xEDR'
        text = text[: head.end()] + "\n" + line + text[head.end() :]
        text += f"\nvendid=0x2c9\ndevid=0x1\nsysimgguid=0x{guid}\ncaguid=0x{guid}\n"
        text += (
            f'Ca\t1 "H-{guid}"\t\t# "{name}"\n'
            f'[1]({guid}) \t"{switch_id}"[{port}]\t\t# lid {900 + number} lmc 0 "{switch.name}" lid 1 4xEDR\n'
        )
    return text
