"""Studies: the tables and figures of a paper, computed, beside the published ones.

One package a paper, which exports a :class:`~sortlast.study.study.Study`. It holds what the paper varies,
its published values as data with their source (``published.json``), what is computed and measured beside
them, and a README. What studies share is here: steps that run on all cores and are kept (``steps``), reports
as values (``document``) and pages (``page``), and the way from the steps to the report (``runner``).
``studies`` lists them all, and ``overview`` says of every table and figure how near it was met.
"""
