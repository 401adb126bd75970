"""The window around the pages: their list, actions, menus, top bar and start page."""
