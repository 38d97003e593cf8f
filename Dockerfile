# syntax=docker/dockerfile:1

# The digest of the tag, so that the same base is built on every time. To renew it:
#   docker buildx imagetools inspect node:<version>-bookworm-slim   # the digest of the index
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS base

FROM base AS build
WORKDIR /app
# Packages first: they change more rarely than sources, and this layer is the slow one.
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --include=dev --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY handlers handlers
COPY src src
RUN npm run build \
  && npm prune --omit=dev --ignore-scripts \
  && node scripts/slim-image.mjs .

FROM base
WORKDIR /app
# A container must listen beyond loopback to be reached. Portaria then refuses to
# start until PORTARIA_VERIFY says how senders are verified (`none` if written so).
ENV NODE_ENV=production \
  PORTARIA_HOST=0.0.0.0 \
  PORTARIA_PORT=8080 \
  PORTARIA_OPS_PORT=9090 \
  PORTARIA_DATABASE=/data/portaria.db
COPY package.json LICENSE ./
COPY fixtures fixtures
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# A volume made from /data takes its owner from here; the program itself stays root's.
# `docker exec <container> portaria events list` works beside the running process.
RUN mkdir --parents /data \
  && chown node:node /data \
  && ln --symbolic /app/dist/src/cli/main.js /usr/local/bin/portaria
USER node
VOLUME /data
# 8080 for senders; 9090 for operators, which is open beyond the container only with
# PORTARIA_OPS_HOST=0.0.0.0 and a token (PORTARIA_OPS_TOKEN).
EXPOSE 8080 9090
# The OCI image format drops HEALTHCHECK: build with `--format docker` (buildah, podman), or use
# the orchestrator's own check of /healthz. Docker keeps it.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORTARIA_PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is process 1 and gets SIGTERM, on which Portaria hands back what it runs and exits 0.
STOPSIGNAL SIGTERM
# Your own handlers: mount their folder and set PORTARIA_HANDLERS to it, for example
#   --volume ./handlers:/handlers:ro --env PORTARIA_HANDLERS=/handlers
CMD ["node", "dist/src/cli/main.js", "serve"]
