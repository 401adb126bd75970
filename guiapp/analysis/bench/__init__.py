"""The benchmark: scenarios, measuring in turns, records of a run, and its report."""
