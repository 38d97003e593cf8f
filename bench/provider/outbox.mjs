/**
 * Measures whether the outbox keeps up with changes. A company is renamed at a steady
 * rate, each time in a transaction with its webhook, and a receiver in another
 * process counts webhooks. Run `npm run build` first:
 *
 *   node bench/provider/outbox.mjs [changes per second] [seconds] [lanes] [--signed] [--here]
 *
 * `--here` sends from the thread that makes the changes.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { slope } from '../report/slope.mjs';

const flags = process.argv.slice(2).filter((word) => word.startsWith('--'));
const numbers = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const [rate, seconds, lanes] = [2_000, 10, 8].map((usual, at) => Number(numbers[at] ?? usual));
const signed = flags.includes('--signed');
const from = flags.includes('--here') ? 'here' : 'thread';
const COMPANIES = 100;
/** Milliseconds between two samples of the backlog. */
const SAMPLE_MS = 100;
const dist = new URL('../../dist/', import.meta.url);
const load = (path) => import(new URL(path, dist).href);
const { openService } = await load('provider/open-provider.js');
const { findOrCreateOrganization } = await load('provider/organizations/organization.js');
const { addWebhookEndpoint } = await load('provider/webhooks/webhook-endpoint.js');
const { startWebhookSender } = await load('provider/webhooks/start-webhook-sender.js');
const { addCompany, changeCompany } = await load('provider/companies/change-company.js');

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
  const companies = [];
  for (let n = 0; n < COMPANIES; n += 1)
    companies.push(
      await service.change(organization, (change) =>
        addCompany(change, { name: `Company ${n}`, tax_id: String(n).padStart(14, '0') }),
      ),
    );
  const sender = await startWebhookSender(service, { log: console, from });
  while (sender.counts.delivered < COMPANIES) await pause(5);

  const before = { all: process.cpuUsage(), own: ownCpu(), receiver: ownCpu(receiver.pid) };
  const start = performance.now();
  const total = rate * seconds;
  const backlog = [];
  let made = 0;
  while (made < total) {
    const now = performance.now();
    if (now - start > backlog.length * SAMPLE_MS)
      backlog.push([(now - start) / 1000, made + COMPANIES - sender.counts.delivered]);
    const due = Math.min(total, Math.floor(((now - start) / 1000) * rate), made + 100);
    for (; made < due; made += 1) {
      // Yield, as a request would.
      await new Promise(setImmediate);
      await service.change(organization, (change) =>
        changeCompany(change, companies[made % COMPANIES].id, { name: `Company ${made}` }, 'company.updated'),
      );
    }
    await pause(1);
  }
  const changed = performance.now();
  while (sender.counts.delivered < total + COMPANIES) await pause(1);
  const end = performance.now();
  const { user, system } = process.cpuUsage(before.all);
  const own = ownCpu() - before.own;
  const perChange = (us) => Math.round(us / total);
  // The first half is the warm-up.
  const settled = backlog.slice(Math.floor(backlog.length / 2));
  console.log({
    lanes,
    signed,
    from,
    'changes recorded/s': Math.round(total / ((changed - start) / 1000)),
    'delivered/s, to the last one': Math.round(total / ((end - start) / 1000)),
    'backlog grows by, 1/s': Math.round(
      slope(
        settled.map(([at]) => at),
        settled.map(([, depth]) => depth),
      ),
    ),
    'behind at most': Math.max(...backlog.map(([, depth]) => depth)),
    'CPU for each change, µs': {
      'thread of the changes': perChange(own),
      'all other threads': perChange(user + system - own),
      receiver: perChange(ownCpu(receiver.pid) - before.receiver),
    },
  });
  await sender.stop();
  await service.close();
}

/** Microseconds of CPU of a process's main thread; NaN without /proc. */
function ownCpu(pid = process.pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000;
  } catch {
    return Number.NaN;
  }
}
