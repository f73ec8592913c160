"""The command line: ``sortlast COMMAND``. One module per command; ``_app`` joins them.

The programs of started ranks are modules here too (``_demo_ranks`` and others). They do not import other
commands, so that a rank starts quickly.
"""
