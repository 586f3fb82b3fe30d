"""Features of questions: what the text, the query and the answers say."""
