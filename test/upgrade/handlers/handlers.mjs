import { defineHandler, GiveUp } from 'portaria';
export { default as login } from 'portaria/handlers/login-attempt';

/** Leaves dead letters. */
export const refused = defineHandler({
  name: 'refused',
  on: 'traffic-violation.created',
  handle: () => Promise.reject(new GiveUp('the office is closed')),
});

/** Is paused in the data: what it has to do runs after the upgrade. */
export const waiting = defineHandler({ name: 'waiting', on: 'charge.*', handle() {} });
