"""The data sets of the adapters, made of AVeriTeC's annotations and of debates about them."""
