import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inParallel } from './in-parallel.mjs';

/**
 * The receiver's events of a subject.
 *
 * @typedef {object} Received
 * @property {readonly ReceivedEvent[]} events in the order of their arrival
 *
 * @typedef {object} ReceivedEvent
 * @property {string} id
 * @property {string} kind
 * @property {string | null} version orders the events of a subject
 * @property {string | null} messageId
 * @property {Readonly<Record<string, any>>} data
 */

/**
 * All events of the receiver, by subject. The private port has their metadata, an
 * export of the command line their bodies.
 *
 * @param {import('../environment/start-environment.mjs').Environment} environment
 * @returns {Promise<ReadonlyMap<string, Received>>}
 */
export async function readReceived({ receiver, workspace }) {
  const file = join(workspace.folder, 'events.ndjson');
  await receiver.run(['events', 'export', '--file', file, '--force']);
  /** @type {Map<string, Readonly<Record<string, any>>>} */
  const bodies = new Map();
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { id, body } = JSON.parse(line);
    bodies.set(id, JSON.parse(Buffer.from(body, 'base64').toString()).data);
  }
  /** @type {Map<string, { events: ReceivedEvent[] }>} */
  const subjects = new Map();
  /** @type {string | null} */
  let cursor = '';
  while (cursor !== null) {
    const after = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = await receiver.read(`/api/events?order=oldest&limit=1000${after}`);
    for (const { id, kind, subject, version, message_id } of page.data) {
      const known = subjects.get(subject) ?? { events: [] };
      known.events.push({ id, kind, version, messageId: message_id, data: bodies.get(id) ?? {} });
      subjects.set(subject, known);
    }
    cursor = page.next;
  }
  return subjects;
}

/**
 * Reads the states of machines.
 *
 * @param {import('../environment/start-environment.mjs').Environment} environment
 * @param {readonly { readonly subject: string, readonly machine: string }[]} wanted
 * @returns {Promise<ReadonlyMap<string, any>>} by subject
 */
export async function readMachines({ receiver, workspace }, wanted) {
  const states = new Map();
  await inParallel(wanted, workspace.signal, async ({ subject, machine }) => {
    const detail = await receiver.find(`/api/machines/${machine}/${encodeURIComponent(subject)}`);
    if (detail !== null) states.set(subject, detail.state);
  });
  return states;
}

/**
 * The latest event of a subject: by version, otherwise the last that arrived.
 *
 * @param {Received} received
 */
export function latestOf({ events }) {
  return events.reduce((latest, event) =>
    latest.version !== null && (event.version ?? '') < latest.version ? latest : event,
  );
}
