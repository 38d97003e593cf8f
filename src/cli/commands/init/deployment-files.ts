/** The files of a new project that test it on GitHub and build its image. */

/** @param javascript whether there are no types to check */
export const workflow = (javascript: boolean): string => `name: test

on: [push, pull_request]

permissions:
  contents: read

jobs:
  test:
    runs-on: ubuntu-latest
    timeout-minutes: 10
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 24
          cache: npm
      - run: npm ci
${javascript ? '' : '      - run: npm run typecheck\n'}      - run: npm test
`;

/** @param hasServer whether an application of the project receives the webhooks */
export const dockerfile = (hasServer: boolean): string => `FROM node:24-bookworm-slim
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts && mkdir /data && chown node:node /data
${hasServer ? 'COPY server.ts ./\n' : ''}COPY handlers handlers
# It listens beyond loopback, so it starts only with PORTARIA_VERIFY and PORTARIA_SECRETS.
ENV NODE_ENV=production PORTARIA_HOST=0.0.0.0 PORTARIA_DATABASE=/data/portaria.db PORTARIA_HANDLERS=/app/handlers
USER node
VOLUME /data
EXPOSE ${hasServer ? '3000' : '8080'}
CMD ["node", ${hasServer ? '"server.ts"' : '"node_modules/portaria/dist/src/cli/main.js", "serve"'}]
`;
