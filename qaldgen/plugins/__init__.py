"""What the core does not know: each folder is a plug-in, and its ``plugin.cfg`` is its manifest."""
