import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { createSupervisor } from '../../bench/lifetime/supervisor.mjs';
import { openOutbox } from '../compare/outbox.mjs';
import { eventually } from '../environment/eventually.mjs';
import { startEnvironment } from '../environment/start-environment.mjs';
import { createDisplay } from '../show/display.mjs';
import { keptDataText } from '../show/kept-data.mjs';
import { pagesText, untilInterrupted } from '../show/pages.mjs';
import { incidents } from './incidents.mjs';

/** A fleet that is quick to fill and has enough charges and violations. */
const FLEET = { companies: 4, violations: 160 };
/** Milliseconds in which what was sent is handled, on a busy machine. */
const LIMIT_MS = 60_000;

/** @typedef {import('../environment/start-environment.mjs').Environment} Environment */

/**
 * Lets an incident happen, prints where to find it, and keeps both sides alive until the signal is aborted.
 *
 * @param {{ readonly name: import('../options.mjs').IncidentName, readonly seed: number, readonly keep: boolean }} options
 * @param {{ readonly out: NodeJS.WriteStream, readonly signal: AbortSignal }} context
 */
export async function runIncident({ name, seed, keep }, { out, signal }) {
  const supervisor = await createSupervisor(tmpdir(), { name: 'portaria-demo-', keep });
  const display = createDisplay(out);
  const { told, phases } = incidents[name];
  /** @type {Environment | undefined} */
  let environment;
  try {
    display.note(`data in ${supervisor.root}`);
    for (const phase of phases) {
      const start = startOf(phase);
      if (environment === undefined)
        environment = await startEnvironment(
          { supervisor, folder: supervisor.root, signal },
          { ...FLEET, seed, calm: true, first: start },
          display.stage,
        );
      else await restart(environment, start);
      display.stage(agoText(phase.earlierMs));
      await play(environment, phase);
    }
    if (environment === undefined) throw new Error(`the incident ${name} has no history`);
    const last = phases.at(-1);
    if (last !== undefined && last.earlierMs > 0)
      await restart(environment, startOf({ ...last, earlierMs: 0 }));
    display.end();
    out.write(
      ['', `${told} Find out why, and mend it:`, pagesText(environment), 'Ctrl-C ends both.', ''].join('\n'),
    );
    await untilInterrupted(signal);
  } finally {
    display.end();
    environment?.close();
    await supervisor.end();
    if (keep && environment !== undefined) out.write(keptDataText(environment));
  }
}

/**
 * @param {Pick<import('./incidents.mjs').Phase, 'earlierMs' | 'handlers'>} phase
 * @returns {import('../environment/program.mjs').StartOptions}
 */
function startOf({ earlierMs, handlers }) {
  const folder = fileURLToPath(new URL(`handlers/${handlers}`, import.meta.url));
  // The application and its signatures have no part in it: their time is not that of the history.
  const without = ['PORTARIA_SECRETS', 'PORTARIA_FORWARD_URL', 'PORTARIA_FORWARD_SECRET'];
  return {
    earlierMs,
    env: {
      ...Object.fromEntries(without.map((name) => [name, ''])),
      PORTARIA_HANDLERS: folder,
      PORTARIA_VERIFY: 'none',
    },
  };
}

/**
 * @param {Environment} environment
 * @param {import('../environment/program.mjs').StartOptions} how
 */
async function restart({ provider, receiver }, how) {
  await Promise.all([provider.kill(), receiver.kill()]);
  await Promise.all([provider.start(how), receiver.start(how)]);
}

/**
 * Lets a phase happen and waits until its webhooks are handled. Nothing happens by itself, then or later: the same
 * incident is the same each time.
 *
 * @param {Environment} environment
 * @param {import('./incidents.mjs').Phase} phase
 */
async function play(environment, { happen, standing = false }) {
  const { control, provider, receiver, workspace } = environment;
  await control.post('/scenario/pause');
  await happen(environment);
  await dropSteps(control);
  const outbox = openOutbox(provider.database);
  try {
    await eventually('the webhooks arrive and are handled', LIMIT_MS, workspace.signal, async () => {
      const { deliveries } = await receiver.read('/api/stats');
      const isHandled = standing ? deliveries.running === 0 : deliveries.pending + deliveries.running === 0;
      return outbox.left().waiting === 0 && isHandled;
    });
  } finally {
    outbox.close();
  }
}

/** @param {import('../environment/control.mjs').Control} control */
async function dropSteps(control) {
  for (;;) {
    const steps = await control.read('/steps');
    if (steps.length === 0) return;
    for (const { process, id } of steps) await control.remove(`/steps/${process}/${id}`);
  }
}

/** @param {number} ms */
function agoText(ms) {
  return ms === 0 ? 'now' : `${ms / 60_000} minutes ago`;
}
