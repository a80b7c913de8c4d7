"""What is thought and tried of a game that people look at: advice, analysis, variations."""
