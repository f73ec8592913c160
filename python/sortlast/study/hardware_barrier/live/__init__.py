"""What is started as a process of its own, ``python -m``; nothing of the study imports these modules."""
