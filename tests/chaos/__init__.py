"""What happens to the data while processes, queue and database are killed under everybody's hands.

`python -m tests.chaos` (`make chaos`) plays one scene several times: raters judge, a program
uploads, a run judges through a slow server, reports are built, a study is deleted. Once nobody
disturbs them; then, on each stack, web servers, workers, queue, database and its connections are
killed at random. At the end outputs and judgments must be the same, and each response has exactly
its ratings.
"""
