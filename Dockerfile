# syntax=docker/dockerfile:1

# The digest pins the base image. To update it:
#   docker buildx imagetools inspect node:<version>-bookworm-slim   # prints the digest of the index
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS base

FROM base AS build
WORKDIR /app
# Packages first: they change less often than sources, and their layer is the slow one.
COPY package.json package-lock.json .npmrc ./
COPY provider/package.json provider/
RUN --mount=type=cache,target=/root/.npm npm ci --include=dev --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY handlers handlers
COPY provider provider
COPY src src
RUN npm run build \
  && npm prune --omit=dev --ignore-scripts \
  && node scripts/slim-image.mjs .

FROM base
WORKDIR /app
# A container must listen beyond loopback. Portaria then starts only if PORTARIA_VERIFY
# is set (`none` included).
ENV NODE_ENV=production \
  PORTARIA_HOST=0.0.0.0 \
  PORTARIA_PORT=8080 \
  PORTARIA_OPS_PORT=9090 \
  PORTARIA_DATABASE=/data/portaria.db
COPY package.json LICENSE ./
COPY fixtures fixtures
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# A volume mounted at /data gets its owner from here. The program files stay owned by root.
# `docker exec <container> portaria events list` works beside the running process.
RUN mkdir --parents /data \
  && chown node:node /data \
  && ln --symbolic /app/dist/src/cli/main.js /usr/local/bin/portaria
USER node
VOLUME /data
# 8080 is for senders. 9090 is for operators; it is reachable from outside the container
# only with PORTARIA_OPS_HOST=0.0.0.0 and a token (PORTARIA_OPS_TOKEN).
EXPOSE 8080 9090
# The OCI image format has no HEALTHCHECK: build with `--format docker` (buildah, podman),
# or let the orchestrator check /healthz.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORTARIA_PORT + '/healthz').then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1. On SIGTERM, Portaria releases its deliveries and exits with 0.
STOPSIGNAL SIGTERM
# To run your own handlers, mount their folder and set PORTARIA_HANDLERS to it:
#   --volume ./handlers:/handlers:ro --env PORTARIA_HANDLERS=/handlers
CMD ["node", "dist/src/cli/main.js", "serve"]
