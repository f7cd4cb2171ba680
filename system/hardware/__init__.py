"""The machine: processor, memory of the device, weights on disk."""
