import { randomBytes } from 'node:crypto';
import { createClient } from 'portaria/client';
import { freePort } from '../../bench/servers/free-port.mjs';
import { startApplication } from './application.mjs';
import { createControl } from './control.mjs';
import { provider } from './provider.mjs';
import { receiver } from './receiver.mjs';
import { startWire } from './wire.mjs';

/** @typedef {Awaited<ReturnType<typeof startWorld>>} World */

/**
 * Service, wire, receiver and the application behind it, each of which answers.
 *
 * @param {import('./program.mjs').Place} place
 * @param {import('../options.mjs').DemoOptions} options
 * @param {(what: string) => void} say
 */
export async function startWorld(place, { companies, violations, seed }, say) {
  const secret = signingSecret();
  const forwardSecret = signingSecret();
  const [servicePort, port, opsPort] = [await freePort(), await freePort(), await freePort()];
  const application = await startApplication({ secret: forwardSecret, seed });
  const wire = await startWire(`http://127.0.0.1:${port}/webhooks`);
  const close = () => {
    wire.close();
    application.close();
  };
  try {
    const providing = provider(place, { port: servicePort, seed });
    say('making an organization with its key');
    const apiKey = await providing.createKey();
    say(`filling it: ${companies} companies, ${violations} traffic violations and what belongs to them`);
    await providing.populate({ companies, violations });
    // From now on only: what was there in the morning is the past.
    await providing.sendTo(`${wire.url}/webhooks`, secret);

    const receiving = receiver(place, {
      port,
      opsPort,
      secret,
      forwardUrl: `${application.url}/webhooks`,
      forwardSecret,
      apiUrl: providing.url,
      apiKey,
    });
    say('starting the service and the receiver');
    await Promise.all([providing.start(), receiving.start()]);

    /** Answers that are not what the contract says: each is a defect. @type {Set<string>} */
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
      place,
      provider: providing,
      receiver: receiving,
      wire,
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
