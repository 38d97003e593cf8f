/**
 * Whether the outbox keeps up with changes: a company is renamed at a steady
 * rate, each a transaction with its webhook, and a receiver in a process of its
 * own counts what arrives. Run after `npm run build`:
 *
 *   node bench/service/outbox.mjs [changes per second] [seconds] [lanes] [--signed]
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const [rate, seconds, lanes] = [2_000, 10, 1].map((usual, at) => Number(process.argv[at + 2] ?? usual));
const signed = process.argv.includes('--signed');
const dist = new URL('../../dist/src/', import.meta.url);
const load = (path) => import(new URL(path, dist).href);
const { openService } = await load('service/open-service.js');
const { findOrCreateOrganization } = await load('service/organizations/organization.js');
const { addWebhookEndpoint } = await load('service/webhooks/webhook-endpoint.js');
const { startWebhookSender } = await load('service/webhooks/start-webhook-sender.js');
const { addCompany, changeCompany } = await load('service/companies/change-company.js');

const folder = mkdtempSync(join(tmpdir(), 'outbox-'));
const receiver = fork(new URL('counting-receiver.mjs', import.meta.url).pathname);
try {
  const port = await new Promise((resolve) => receiver.once('message', resolve));
  await run(`http://127.0.0.1:${port}/`);
} finally {
  receiver.kill();
  rmSync(folder, { recursive: true, force: true });
}

async function run(url) {
  const service = openService({ path: join(folder, 'service.db') });
  const organization = await findOrCreateOrganization(service, 'Bench');
  const secret = signed ? `whsec_${Buffer.alloc(32, 7).toString('base64')}` : undefined;
  await addWebhookEndpoint(service, organization, { url, lanes, secret });
  const sender = await startWebhookSender(service, { log: console });
  const companies = [];
  for (let n = 0; n < 100; n += 1)
    companies.push(
      await service.change(organization, (change) =>
        addCompany(change, { name: `Company ${n}`, tax_id: String(n).padStart(14, '0') }),
      ),
    );
  const before = process.cpuUsage();
  const start = performance.now();
  const total = rate * seconds;
  let made = 0;
  let deepest = 0;
  while (made < total) {
    const due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * rate));
    for (; made < due; made += 1) {
      // As a request would: what has arrived meanwhile has its turn.
      await new Promise(setImmediate);
      await service.change(organization, (change) =>
        changeCompany(change, companies[made % 100].id, { name: `Company ${made}` }, 'company.updated'),
      );
    }
    deepest = Math.max(deepest, made + 100 - sender.counts.delivered);
    await pause(1);
  }
  const changed = performance.now();
  while (sender.counts.delivered < total + 100) await pause(5);
  const end = performance.now();
  const { user, system } = process.cpuUsage(before);
  console.log({
    lanes,
    signed,
    'changes/s': Math.round(total / ((changed - start) / 1000)),
    'behind at most': deepest,
    'ms after the last change until all is delivered': Math.round(end - changed),
    'CPU of the service, µs for each change': Math.round((user + system) / total),
  });
  await sender.stop();
  await service.close();
}
