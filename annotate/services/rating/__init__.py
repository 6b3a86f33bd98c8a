"""What raters do: tasks are claimed, answered, practised and, where raters disagree, decided."""
