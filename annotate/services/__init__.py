"""The only writers to the database. Views, commands, tasks and the API are doors to these."""
