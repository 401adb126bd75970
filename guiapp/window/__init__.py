"""The window around the pages: the rail, actions, menus, the top bar and the start page."""
