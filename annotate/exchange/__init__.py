"""What leaves a study or concerns it as a whole: exports, archives, copies, deletion."""
