"""The answers of a system: the record, the formats it is read from, and its journal."""
