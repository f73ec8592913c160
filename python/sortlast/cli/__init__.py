"""The command line: ``sortlast COMMAND``. One module a command; ``_app`` joins them.

The ranks that a command starts are modules here too (``_demo_ranks`` and the like). They import what they
need and not the other commands, so that a rank starts quickly.
"""
