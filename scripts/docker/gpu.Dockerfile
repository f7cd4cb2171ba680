# The system on one NVIDIA GPU, with vLLM. The pinned vLLM and torch are built for CUDA 13.0, so the host needs driver
# 580 or newer (NVIDIA, CUDA Compatibility, table 1) and the NVIDIA Container Toolkit; "factgraph doctor" says so too.
#
#   docker build --file scripts/docker/gpu.Dockerfile --tag factgraph:gpu .
#   docker run --rm --gpus all --volume factgraph-models:/models factgraph:gpu fetch --profile a10g
#   docker run --rm --gpus all --volume factgraph-models:/models --volume factgraph-output:/output factgraph:gpu
#
FROM nvidia/cuda:13.0.3-base-ubuntu24.04

# A compiler, Python's headers and nvcc: Triton and FlashInfer compile kernels for the GPU that they find.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        python3 python3-dev python3-venv g++ cuda-nvcc-13-0 cuda-cudart-dev-13-0 wordnet-base wordnet-sense-index \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 factgraph \
    && install --directory --owner factgraph /models /stores /output

ENV CUDA_HOME=/usr/local/cuda \
    PIP_NO_CACHE_DIR=1 \
    HF_HOME=/models

# What is installed is a layer of its own, below the code: setup.sh needs of that only the names of the packages.
WORKDIR /app
COPY pyproject.toml constraints.txt README.md LICENSE THIRD_PARTY_NOTICES.md ./
COPY scripts/setup.sh scripts/environment.sh scripts/
COPY system/__init__.py system/
COPY knowledge_store/__init__.py knowledge_store/
COPY submission/__init__.py submission/
COPY training/__init__.py training/
RUN scripts/setup.sh gpu ray serve && (.venv/bin/python -m compileall -q .venv || true)
COPY . .

# One claim shows that the image works, and compiles what is compiled at the first run; a build has no GPU.
USER 10001
RUN ./run.sh --profile laptop --limit 1 --output /tmp/built && rm -r /tmp/built

VOLUME ["/models", "/stores", "/output"]
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=10s --start-period=10m CMD ["/app/scripts/docker/healthcheck.sh"]
ENTRYPOINT ["/app/run.sh"]
CMD ["--output", "/output"]
