"""What a system answered.

The record, the forms it is read from, and the journal it is written to.
"""
