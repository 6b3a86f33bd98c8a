"""Rating: tasks, the desk, answers, practice, gold answers, disputes, raters' questions."""
