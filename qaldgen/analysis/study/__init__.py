"""Do samples, and rules that stop a run, keep their promises? Tried on pools with known scores."""
