import { breakHandler } from './break-handler.mjs';
import { changeSender } from './change-sender.mjs';
import { stopLane } from './stop-lane.mjs';

/**
 * A part of an incident's history, for which provider and receiver start anew.
 *
 * @typedef {object} Phase
 * @property {number} earlierMs how long ago it was, in milliseconds
 * @property {string} handlers the receiver's folder, in `demo/incidents/handlers`
 * @property {(environment: import('../environment/start-environment.mjs').Environment) => Promise<void>} happen
 * @property {boolean} [standing] whether deliveries still wait at its end
 */

/**
 * What a stranger is told, and how it came about. The same data and the same order each time.
 *
 * @typedef {object} Incident
 * @property {string} told by those who noticed, without the cause
 * @property {readonly Phase[]} phases
 */

/** @type {Readonly<Record<import('../options.mjs').IncidentName, Incident>>} */
export const incidents = { handler: breakHandler, sender: changeSender, lane: stopLane };
