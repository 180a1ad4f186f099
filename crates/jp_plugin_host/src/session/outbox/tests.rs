//! What reaches a plugin, and in which order.
