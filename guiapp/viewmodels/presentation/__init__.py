"""What a presentation shows: a step as letters in blocks, and the slides of a run or a lesson."""
