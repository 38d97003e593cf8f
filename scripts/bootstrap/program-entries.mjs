import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

/**
 * The modules that somebody finds by their place, which what is built of them
 * keeps, with all that they export. What only other modules import is put
 * wherever it is needed.
 */
export function programEntries() {
  return [
    // By package.json.
    'src/cli/main.ts',
    'src/index.ts',
    'src/client/index.ts',
    'src/testing/index.ts',
    ...readdirSync(join(root, 'handlers'))
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => `handlers/${file}`),
    // As threads.
    'src/store/sqlite/thread/writer-thread.ts',
    'src/store/sqlite/thread/reader-thread.ts',
    'src/store/sqlite/thread/checkpoint-thread.ts',
    'src/service/webhooks/thread/sender-thread.ts',
    'src/service/companies/certificate-thread.ts',
    // By tests of what is built, and by benchmarks: parts that no entry point shows.
    'src/store/sqlite/open-sqlite-store.ts',
    'src/store/sqlite/thread/thread-writer.ts',
    'src/store/sqlite/thread/thread-checkpoint.ts',
    'src/service/open-service.ts',
    'src/service/companies/change-company.ts',
    'src/service/http/service-app.ts',
    'src/service/organizations/api-key.ts',
    'src/service/organizations/organization.ts',
    'src/service/seed/seed-organization.ts',
    'src/service/traffic-violations/change-traffic-violation.ts',
    'src/service/webhooks/dead-webhooks.ts',
    'src/service/webhooks/start-webhook-sender.ts',
    'src/service/webhooks/webhook-endpoint.ts',
  ];
}
