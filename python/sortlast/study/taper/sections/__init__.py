"""Sections of the report, one for each part of the study."""
