"""AVeriTeC's files: claims, and the annotators' questions, answers and labels."""
