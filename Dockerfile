# Build:  docker build -t understudy .
# Run:    docker run --rm -p 127.0.0.1:8080:8080 -v understudy:/var/lib/understudy understudy
# In the container the console listens on every address, so it asks for the access token that it prints when it is ready.
# Outside, only this machine can connect, through the loopback address of `-p`.

# Swift and the libraries to build with; the dev container uses this stage.
FROM swift:6.3-bookworm AS toolchain
RUN apt-get update -q \
  && apt-get install -q -y --no-install-recommends binutils pkg-config python3 python3-venv libssl-dev zlib1g-dev libcurl4-openssl-dev libsqlite3-dev libpcre2-dev \
  && rm -rf /var/lib/apt/lists/*

# The Debian package. Each layer is made anew only if what it copies changes: the dependencies, then the program, then what lies beside it.
FROM toolchain AS package
WORKDIR /project
ENV UNDERSTUDY_TESTS=no
COPY Package.swift ./
RUN swift package resolve --scratch-path .build/static
COPY Scripts/lib Scripts/lib
COPY Sources Sources
RUN Scripts/lib/build package
COPY Scripts/package Scripts/package
COPY Packaging Packaging
COPY Public Public
COPY CHANGELOG.md ./
# The time of the files in the package, such as --build-arg SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)".
ARG SOURCE_DATE_EPOCH=0
RUN Scripts/package /out && dpkg-deb --extract /out/*.deb /out/root

FROM debian:bookworm-slim
RUN apt-get update -q \
  && apt-get install -q -y --no-install-recommends libstdc++6 libssl3 zlib1g libcurl4 libsqlite3-0 libpcre2-8-0 libpq5 ca-certificates \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 10001 --user-group --no-create-home --home-dir /var/lib/understudy --shell /usr/sbin/nologin understudy \
  && install -d -m 700 -o understudy -g understudy /var/lib/understudy
COPY --from=package /out/root /
# Variables instead of flags, so that `-e` can change them and the health check reads them too.
ENV UNDERSTUDY_HOST=0.0.0.0 \
    UNDERSTUDY_PORT=8080 \
    UNDERSTUDY_DATA=/var/lib/understudy \
    UNDERSTUDY_PUBLIC_ORIGIN=http://localhost:8080
USER understudy
VOLUME /var/lib/understudy
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=5s CMD ["understudy", "healthcheck"]
ENTRYPOINT ["understudy"]
CMD ["serve"]
