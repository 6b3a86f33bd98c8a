"""What leaves a study."""
