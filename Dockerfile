# Images of spool. From what make wheel has put into dist, with everything inside:
#
#   slim     the command on Debian 13
#   cuda     the command on NVIDIA's image of the CUDA runtime
#   pytorch  the Python package in NVIDIA's image of PyTorch
#
# And from source, in stages: deps (the toolchain and libraries), build, test (the whole suite), and runtime, the
# default: the command and the libraries it loads, nothing else. Each of them twice: with FFmpeg 5.1 on Debian 12, and
# as NAME-ffmpeg7 with FFmpeg 7.1 on Debian 13.
#
#   make wheel && docker build --target slim -t spool:slim .
#   docker build -t spool .
#   docker build --target test .
#   docker build --target runtime-ffmpeg7 -t spool:ffmpeg7 .
#   docker run --rm --read-only -v "$PWD/pictures:/media:ro" spool:slim run images /media

# The tarball, installed in /opt/spool, and the certificates that HTTPS needs.
FROM debian:13-slim AS installed
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
COPY dist/spool-*-linux-*.tar.gz /tmp/
RUN mkdir /tmp/spool && tar -xzf /tmp/spool-*-linux-"$(uname -m)".tar.gz -C /tmp/spool --strip-components=1 && \
    /tmp/spool/install.sh /opt/spool

FROM debian:13-slim AS slim
COPY --from=installed /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=installed /opt/spool /usr/local
RUN useradd --system --uid 999 spool
USER spool
WORKDIR /media
RUN spool doctor
ENTRYPOINT ["spool"]

FROM nvidia/cuda:13.0.1-base-ubuntu24.04 AS cuda
# The driver's libraries for decoding video, too.
ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility,video
COPY --from=installed /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=installed /opt/spool /usr/local
RUN useradd --system --uid 999 spool
USER spool
WORKDIR /media
RUN spool doctor
ENTRYPOINT ["spool"]

FROM nvcr.io/nvidia/pytorch:25.10-py3 AS pytorch
COPY dist/spool_media-*.whl /tmp/
RUN pip install --no-cache-dir /tmp/spool_media-*-manylinux_2_28_"$(uname -m)".whl && rm /tmp/spool_media-*.whl
RUN python -m spool doctor

FROM golang:1.26-trixie AS deps-ffmpeg7
WORKDIR /src
COPY tools/deps.sh tools/
RUN tools/deps.sh build && rm -rf /var/lib/apt/lists/*
COPY go.ffmpeg7.mod go.ffmpeg7.sum ./
RUN go mod download -modfile=go.ffmpeg7.mod

FROM deps-ffmpeg7 AS build-ffmpeg7
COPY . .
RUN make build

FROM build-ffmpeg7 AS test-ffmpeg7
RUN make test

FROM debian:13-slim AS runtime-ffmpeg7
COPY tools/deps.sh /tmp/
RUN /tmp/deps.sh runtime-ffmpeg7 && rm -rf /tmp/deps.sh /var/lib/apt/lists/*
RUN useradd --system --uid 999 spool
COPY --from=build-ffmpeg7 /src/bin/spool /usr/local/bin/spool
USER spool
WORKDIR /media
RUN spool doctor
ENTRYPOINT ["spool"]

FROM golang:1.26-bookworm AS deps
WORKDIR /src
COPY tools/deps.sh tools/
RUN tools/deps.sh build && rm -rf /var/lib/apt/lists/*
COPY go.mod go.sum ./
RUN go mod download

FROM deps AS build
COPY . .
RUN make build

FROM build AS test
RUN make test

FROM debian:12-slim AS runtime
COPY tools/deps.sh /tmp/
RUN /tmp/deps.sh runtime && rm -rf /tmp/deps.sh /var/lib/apt/lists/*
RUN useradd --system --uid 999 spool
COPY --from=build /src/bin/spool /usr/local/bin/spool
USER spool
WORKDIR /media
RUN spool doctor
ENTRYPOINT ["spool"]
