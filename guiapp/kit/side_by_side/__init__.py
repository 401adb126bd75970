"""Compares tokens side by side: linked columns, a walk through differences, and one difference on a grid."""
