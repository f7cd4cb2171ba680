# The system without a GPU: the extractive reader, a small model through transformers, or a model behind an address.
#
#   docker build --file scripts/docker/cpu.Dockerfile --tag factgraph:cpu .
#   docker run --rm --volume factgraph-output:/output factgraph:cpu
#
FROM python:3.12-slim-bookworm

# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends wordnet-base wordnet-sense-index \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 factgraph \
    && install --directory --owner factgraph /models /stores /output

ENV PIP_NO_CACHE_DIR=1 \
    HF_HOME=/models

# What is installed is a layer of its own, below the code: setup.sh needs of that only the names of the packages.
WORKDIR /app
COPY pyproject.toml constraints.txt README.md LICENSE THIRD_PARTY_NOTICES.md ./
COPY scripts/setup.sh scripts/environment.sh scripts/
COPY system/__init__.py system/
COPY knowledge_store/__init__.py knowledge_store/
COPY submission/__init__.py submission/
COPY training/__init__.py training/
RUN scripts/setup.sh ray serve && (.venv/bin/python -m compileall -q .venv || true)
COPY . .

# One claim shows that the image works, and compiles what is compiled at the first run.
USER 10001
RUN ./run.sh --limit 1 --output /tmp/built && rm -r /tmp/built

VOLUME ["/models", "/stores", "/output"]
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=10s --start-period=5m CMD ["/app/scripts/docker/healthcheck.sh"]
ENTRYPOINT ["/app/run.sh"]
CMD ["--output", "/output"]
