"""What a system answered: the record, the forms it is read from, and the journal it is written to."""
