"""The page that steps through encodings and trainings, and its lessons."""
