"""The forms in which question sets and answers are written; one file a form."""
