"""Theme, layouts, and the controls that pages share."""
