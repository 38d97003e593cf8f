# syntax=docker/dockerfile:1
ARG NODE_VERSION=22

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /app
# better-sqlite3 compiles where no prebuilt binary can be fetched.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends python3 make g++ \
  && rm -rf /var/lib/apt/lists/*
# Packages first: they change more rarely than sources, and this layer is the slow one.
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --include=dev
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY handlers handlers
COPY src src
RUN npm run build \
  && npm prune --omit=dev \
  && rm -rf node_modules/better-sqlite3/deps node_modules/better-sqlite3/src node_modules/better-sqlite3/build/Release/obj*

FROM node:${NODE_VERSION}-bookworm-slim
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
# 8080 for senders; 9090 for operators, open beyond the container only with PORTARIA_OPS_TOKEN.
EXPOSE 8080 9090
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORTARIA_PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is process 1 and gets SIGTERM, on which Portaria hands back what it runs and exits 0.
STOPSIGNAL SIGTERM
# Your own handlers: mount their folder and set PORTARIA_HANDLERS to it, for example
#   --volume ./handlers:/handlers:ro --env PORTARIA_HANDLERS=/handlers
CMD ["node", "dist/src/cli/main.js", "serve"]
