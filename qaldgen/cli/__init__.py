"""The verbs of the command line, one module each: parse, call, print."""
