import { randomBytes } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from 'portaria/client';
import { freePorts } from '../../bench/servers/free-port.mjs';
import { startPostgresServer } from '../../scripts/postgres/server.mjs';
import { startApplication } from './application.mjs';
import { createControl } from './control.mjs';
import { provider } from './provider.mjs';
import { receiver } from './receiver.mjs';
import { startCountingProxy } from './counting-proxy.mjs';

/** @typedef {Awaited<ReturnType<typeof startEnvironment>>} Environment */

/**
 * Starts provider, proxy, receivers and application, and waits until each responds.
 *
 * @param {import('./program.mjs').Workspace} workspace
 * @param {object} options
 * @param {number} options.companies
 * @param {number} options.violations
 * @param {number} options.seed
 * @param {number} [options.receivers] several share a PostgreSQL
 * @param {boolean} [options.losses] whether chaos loses webhooks for good
 * @param {boolean} [options.calm] whether webhooks are sent without chaos
 * @param {import('./program.mjs').StartOptions} [options.first] how provider and receivers start
 * @param {(what: string) => void} report
 */
export async function startEnvironment(
  workspace,
  { companies, violations, seed, receivers: count = 1, losses = false, calm = false, first = {} },
  report,
) {
  const secret = signingSecret();
  const forwardSecret = signingSecret();
  const [servicePort = 0, ...ports] = await freePorts(1 + 2 * count);
  const places = Array.from({ length: count }, (_, at) => ({
    name: count === 1 ? 'receiver' : `receiver ${at + 1}`,
    port: ports[2 * at] ?? 0,
    opsPort: ports[2 * at + 1] ?? 0,
  }));
  const webhooks = places.map(({ port }) => `http://127.0.0.1:${port}/webhooks`);
  const consoles = places.map(({ opsPort }) => `http://127.0.0.1:${opsPort}/`);
  const application = await startApplication({ secret: forwardSecret, seed });
  const proxy = await startCountingProxy(webhooks);
  const close = () => {
    proxy.close();
    application.close();
  };
  try {
    if (count > 1) report('starting PostgreSQL');
    const postgres = count > 1 ? await startPostgres(workspace) : null;
    const providing = provider(workspace, { port: servicePort, seed, calm, losses });
    report('creating an organization with its key');
    const apiKey = await providing.createKey();
    report(`filling it with ${companies} companies and ${violations} traffic violations`);
    await providing.populate({ companies, violations });
    // After the data exists, so that no webhooks are sent for it.
    await providing.sendTo(`${proxy.url}/webhooks`, secret);

    const receiving = places.map((place) =>
      receiver(workspace, {
        ...place,
        database: postgres?.url ?? join(workspace.folder, 'portaria.db'),
        secret,
        forwardUrl: `${application.url}/webhooks`,
        forwardSecret,
        apiUrl: providing.url,
        apiKey,
      }),
    );
    const [receiverOne] = receiving;
    if (receiverOne === undefined) throw new Error('a demo needs a receiver');
    report(`starting the provider and ${count === 1 ? 'the receiver' : `${count} receivers`}`);
    await Promise.all([providing, ...receiving].map((each) => each.start(first)));

    /** Responses outside the contract: each is a defect. @type {Set<string>} */
    const drift = new Set();
    const client = createClient({
      url: providing.url,
      apiKey,
      onDrift: ({ operation, issues }) => {
        for (const { path, message } of issues) drift.add(`${operation}: ${path} ${message}`);
      },
    });
    const control = createControl(providing.url);
    return {
      workspace,
      /** What a person opens in a browser. */
      pages: { consoles, provider: `${providing.url}/control/` },
      webhooks: webhooks[0] ?? '',
      provider: providing,
      /** The one that is asked. All of them show the same. */
      receiver: receiverOne,
      receivers: receiving,
      /** Null with one receiver, whose store is a file. */
      postgres,
      proxy,
      application,
      control,
      client,
      drift,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** @param {import('./program.mjs').Workspace} workspace */
async function startPostgres({ supervisor }) {
  const folder = await supervisor.folder('postgres');
  // Root runs PostgreSQL as a user who must be able to reach its folder.
  await chmod(supervisor.root, 0o711);
  return startPostgresServer({ folder, start: supervisor.start });
}

function signingSecret() {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
