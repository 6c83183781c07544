//! Copying: the system clipboard, and OSC 52.
