/**
 * Measures whether the outbox keeps up with changes. A company is renamed at a steady
 * rate; each change is a transaction with its webhook. A receiver in another process
 * takes the webhooks. The aim is 500 changes a second. Run after `npm run build`:
 *
 *   node bench/provider/outbox.mjs [changes per second] [seconds] [lanes] [--signed]
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { slope } from '../report/slope.mjs';
import { mainThreadTime } from '../servers/cpu-time.mjs';

const flags = process.argv.slice(2).filter((word) => word.startsWith('--'));
const numbers = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const [rate, seconds, lanes] = [500, 10, 8].map((usual, at) => Number(numbers[at] ?? usual));
const signed = flags.includes('--signed');
const COMPANIES = 100;
/** Milliseconds between two samples of the backlog. */
const SAMPLE_MS = 100;
const {
  addCompany,
  addWebhookEndpoint,
  changeCompany,
  findOrCreateOrganization,
  openProvider,
  startWebhookSender,
} = await import('@portaria/provider');

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
  const provider = openProvider({ path: join(folder, 'provider.db') });
  const organization = await findOrCreateOrganization(provider, 'Bench');
  const secret = signed ? `whsec_${Buffer.alloc(32, 7).toString('base64')}` : undefined;
  await addWebhookEndpoint(provider, organization, { url, lanes, secret });
  const companies = [];
  for (let n = 0; n < COMPANIES; n += 1)
    companies.push(
      await provider.change(organization, (change) =>
        addCompany(change, { name: `Company ${n}`, tax_id: String(n).padStart(14, '0') }),
      ),
    );
  const sender = await startWebhookSender(provider, { log: console });
  while (sender.counts.delivered < COMPANIES) await pause(5);

  const before = { all: process.cpuUsage(), own: mainThreadTime(), receiver: mainThreadTime(receiver.pid) };
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
      // Yields to the event loop, as a request would.
      await new Promise(setImmediate);
      await provider.change(organization, (change) =>
        changeCompany(change, companies[made % COMPANIES].id, { name: `Company ${made}` }, 'company.updated'),
      );
    }
    await pause(1);
  }
  const changed = performance.now();
  while (sender.counts.delivered < total + COMPANIES) await pause(1);
  const end = performance.now();
  const { user, system } = process.cpuUsage(before.all);
  const own = mainThreadTime() - before.own;
  const perChange = (us) => Math.round(us / total);
  // The first half is warm-up.
  const steady = backlog.slice(Math.floor(backlog.length / 2));
  console.log({
    lanes,
    signed,
    'changes recorded/s': Math.round(total / ((changed - start) / 1000)),
    'webhooks delivered/s': Math.round(total / ((end - start) / 1000)),
    'backlog growth, 1/s': Math.round(
      slope(
        steady.map(([at]) => at),
        steady.map(([, depth]) => depth),
      ),
    ),
    'largest backlog': Math.max(...backlog.map(([, depth]) => depth)),
    'CPU per change, µs': {
      'main thread': perChange(own),
      'other threads': perChange(user + system - own),
      receiver: perChange(mainThreadTime(receiver.pid) - before.receiver),
    },
  });
  await sender.stop();
  await provider.close();
}
