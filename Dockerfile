# Identity Gateway as an image: `docker build --tag identity-gateway:1.0.0 .` in a checkout.
# docs/guide/deployment.md describes its directories and variables.
ARG BASE=docker.io/library/debian:trixie-slim
ARG BUILD=docker.io/library/node:26-trixie-slim

# The package as `npm pack` makes it, installed as users do. Its optional dependency is the Node runtime.
FROM ${BUILD} AS build
WORKDIR /src
COPY . .
RUN npm pack --silent --pack-destination /tmp \
 && npm install --global --prefix /opt/identity-gateway --omit=dev --include=optional /tmp/identity-gateway-*.tgz \
 && rm -rf /opt/identity-gateway/lib/node_modules/identity-gateway/node_modules/node-*/include \
           /opt/identity-gateway/lib/node_modules/identity-gateway/node_modules/node-*/share \
 && mkdir -p /image/etc/identity-gateway/config/routes /image/etc/identity-gateway/secrets /image/etc/identity-gateway/scripts \
 && mkdir -p -m 0700 /image/var/lib/identity-gateway

FROM ${BASE}
LABEL org.opencontainers.image.title="Identity Gateway" \
      org.opencontainers.image.licenses="Apache-2.0"
# A library of Node that slim images do not have.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends libatomic1 \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/identity-gateway /opt/identity-gateway
COPY --from=build /image/etc /etc
COPY --from=build --chown=10001:10001 /image/var/lib/identity-gateway /var/lib/identity-gateway
ENV PATH=/opt/identity-gateway/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    GATEWAY_INSTANCE_DIR=/etc/identity-gateway \
    GATEWAY_STATE_DIR=/var/lib/identity-gateway
# Numeric, so that Kubernetes can verify runAsNonRoot.
USER 10001:10001
VOLUME /var/lib/identity-gateway
EXPOSE 8080 8085
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["gateway", "health"]
ENTRYPOINT ["gateway"]
CMD ["run"]
