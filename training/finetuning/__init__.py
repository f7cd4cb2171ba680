"""Fine-tuning of LoRA adapters: the recipes, the base that fits the memory, TRL's trainers, and the model card."""
