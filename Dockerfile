# The steps are those of `make setup`: `make install` here, `make migrate static` when it starts
# (docker-compose.yml), because the database and the data folder exist only then.
FROM python:3.11-slim

RUN apt-get update \
    && apt-get install --yes --no-install-recommends make postgresql-client \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 attest \
    && install --directory --owner attest /app /data

ENV ATTEST_MODE=production \
    ATTEST_DATA_DIR=/data \
    HOST=0.0.0.0 \
    PORT=8000 \
    PYTHONUNBUFFERED=1

USER attest
WORKDIR /app

# Apart from the code, so that a change of the code does not install everything again.
COPY --chown=attest Makefile requirements.txt requirements.lock ./
COPY --chown=attest scripts scripts
RUN make install

COPY --chown=attest . .

VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 \
    CMD [".venv/bin/python", "-m", "config.serving.probe"]
CMD [".venv/bin/python", "manage.py", "serve"]
