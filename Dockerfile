# Images of spool, in stages: deps (the toolchain and libraries), build, test (the whole suite), and
# runtime, the default: the command and the libraries it loads, nothing else. Each of them twice: with
# FFmpeg 5.1 on Debian 12, and as NAME-ffmpeg7 with FFmpeg 7.1 on Debian 13.
#
#   docker build -t spool .
#   docker build --target test .
#   docker build --target runtime-ffmpeg7 -t spool:ffmpeg7 .
#   docker run --rm -v "$PWD/pictures:/media:ro" spool run images /media

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
