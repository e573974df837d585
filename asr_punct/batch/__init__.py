"""Restore many files, each to a separate file.

`names` finds the inputs and names their outputs, `work` restores one file, `workers` runs processes for the files and
`cluster` a Ray cluster; `storage` reads and writes files at URLs.
An output appears under its name when it is complete, so that a run that was interrupted can be repeated: outputs that
exist are skipped.
"""
