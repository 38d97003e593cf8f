import { randomBytes } from 'node:crypto';
import { createClient } from 'portaria/client';
import { freePort } from '../../bench/servers/free-port.mjs';
import { startApplication } from './application.mjs';
import { createControl } from './control.mjs';
import { provider } from './provider.mjs';
import { receiver } from './receiver.mjs';
import { startCountingProxy } from './counting-proxy.mjs';

/** @typedef {Awaited<ReturnType<typeof startEnvironment>>} Environment */

/**
 * Starts provider, proxy, receiver and application, and waits until each responds.
 *
 * @param {import('./program.mjs').Workspace} workspace
 * @param {object} options
 * @param {number} options.companies
 * @param {number} options.violations
 * @param {number} options.seed
 * @param {boolean} [options.calm] whether webhooks are sent without chaos
 * @param {import('./program.mjs').StartOptions} [options.first] how provider and receiver start
 * @param {(what: string) => void} report
 */
export async function startEnvironment(
  workspace,
  { companies, violations, seed, calm = false, first = {} },
  report,
) {
  const secret = signingSecret();
  const forwardSecret = signingSecret();
  const [servicePort, port, opsPort] = [await freePort(), await freePort(), await freePort()];
  const application = await startApplication({ secret: forwardSecret, seed });
  const proxy = await startCountingProxy(`http://127.0.0.1:${port}/webhooks`);
  const close = () => {
    proxy.close();
    application.close();
  };
  try {
    const providing = provider(workspace, {
      port: servicePort,
      seed,
      calm,
      console: `http://127.0.0.1:${opsPort}`,
    });
    report('creating an organization with its key');
    const apiKey = await providing.createKey();
    report(`filling it with ${companies} companies and ${violations} traffic violations`);
    await providing.populate({ companies, violations });
    // After the data exists, so that no webhooks are sent for it.
    await providing.sendTo(`${proxy.url}/webhooks`, secret);

    const receiving = receiver(workspace, {
      port,
      opsPort,
      secret,
      forwardUrl: `${application.url}/webhooks`,
      forwardSecret,
      apiUrl: providing.url,
      apiKey,
    });
    report('starting the provider and the receiver');
    await Promise.all([providing.start(first), receiving.start(first)]);

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
      pages: { console: `http://127.0.0.1:${opsPort}/`, provider: `${providing.url}/control/` },
      webhooks: `http://127.0.0.1:${port}/webhooks`,
      provider: providing,
      receiver: receiving,
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

function signingSecret() {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
