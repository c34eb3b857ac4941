# The service as an image: docs/operating.md#containers.
#
# Any Debian with Node 24 or later and npm. Pin it by digest where builds must be repeatable.
ARG BASE_IMAGE=docker.io/library/node:24-trixie-slim

FROM ${BASE_IMAGE} AS manifests
WORKDIR /build
COPY package.json package-lock.json ./
COPY scripts/prepare.mjs scripts/
COPY server/package.json server/
COPY client/package.json client/
COPY conformance/package.json conformance/
COPY examples/partner-app/package.json examples/partner-app/
COPY generated-client/package.json generated-client/

# What the service needs at run time, in the versions of the lockfile.
FROM manifests AS dependencies
RUN npm ci --omit=dev --workspace=server --no-audit --no-fund \
  && rm -r node_modules/@cardport node_modules/.bin

# The package `cardport`, as it is published.
FROM manifests AS program
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build --workspace=client \
  && npm run pack \
  && mkdir -p /opt/cardport \
  && tar -xzf packs/cardport-[0-9]*.tgz -C /opt/cardport --strip-components=1 --no-same-owner

FROM ${BASE_IMAGE}
# PostgreSQL refuses to run as root, and to run as a user without a name.
RUN groupadd --gid 10001 cardport \
  && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin cardport \
  && install -d -o cardport -g cardport -m 700 /data \
  && ln -s /opt/cardport/server/bin/cardport /usr/local/bin/cardport
COPY --from=program /opt/cardport /opt/cardport
COPY --from=dependencies /build/node_modules /opt/cardport/node_modules
# One start, so that the image has what Node compiles: in a container it cannot be written.
RUN install -d -o cardport -g cardport /opt/cardport/node_modules/.cache \
  && setpriv --reuid=cardport --regid=cardport --clear-groups env DATA_DIR=/tmp/start/data PORT=0 sh -ec ' \
    mkdir /tmp/start; cardport serve >/tmp/start/log & \
    until grep -q "ready at" /tmp/start/log; do kill -0 $!; sleep 0.2; done; \
    kill $!; wait $!; rm -r /tmp/start' \
  && chown -R root:root /opt/cardport/node_modules/.cache

ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 METRICS_HOST=0.0.0.0 DATA_DIR=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s --retries=3 CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/opt/cardport/server/bin/cardport"]
CMD ["serve"]

# Last, so that a new revision does not build anything again.
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Cardport" \
  org.opencontainers.image.description="A partner platform for trading-card shops: OAuth 2.1, stock sync, buy boosts and one signed webhook." \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.source="https://github.com/cardport/cardport" \
  org.opencontainers.image.url="https://github.com/cardport/cardport" \
  org.opencontainers.image.documentation="https://github.com/cardport/cardport/blob/main/docs/operating.md#containers"
