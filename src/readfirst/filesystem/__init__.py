"""Files below the allowed directories: resolved by descriptor, read with bounds, committed whole."""
