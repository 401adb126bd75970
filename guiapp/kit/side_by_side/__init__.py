"""Tokens side by side: columns with marks and a map, the walk through differences, one of them on a grid."""
