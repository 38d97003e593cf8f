const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Minimum and maximum wait before each kind of step, in milliseconds. */
export const waits = {
  /** From new credentials to the first attempt. */
  'login starts': [1 * SECOND, 5 * SECOND],
  'login goes on': [1 * SECOND, 4 * SECOND],
  'login is tried again': [30 * MINUTE, 2 * HOUR],
  'session lasts': [4 * HOUR, 12 * HOUR],
  'session is renewed': [1 * MINUTE, 10 * MINUTE],
  'SNE answers': [10 * SECOND, 90 * SECOND],
  'slip is requested': [1 * SECOND, 5 * SECOND],
  'agency answers': [10 * SECOND, 2 * MINUTE],
  'import goes on': [150, 600],
  'driver answers': [1 * MINUTE, 30 * MINUTE],
  'indication is reviewed': [5 * MINUTE, 1 * HOUR],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;

export type Wait = keyof typeof waits;

/** Days after the due date on which an overdue record is paid, if it is. */
export const LATE_DAYS = 15;

/** Probability of each outcome, from 0 to 1. The names are part of the seed: renaming one changes its draws. */
export const odds = {
  'portal fails': 0.02,
  'password is refused': 0.15,
  'access code is refused': 0.2,
  'certificate is refused': 0.05,
  'access code is asked for': 0.5,
  'SNE is unavailable': 0.04,
  'SNE refuses': 0.04,
  'slip fails': 0.03,
  'agency rejects': 0.07,
  'slip is paid by PIX': 0.4,
  'import of a record fails': 0.02,
  'driver does not answer': 0.08,
  'driver rejects': 0.1,
  'signer refuses': 0.08,
  'indication fails': 0.02,
  'agency voids an indication': 0.03,
  'is paid on its last day': 0.35,
  'is paid late': 0.3,
} as const satisfies Readonly<Record<string, number>>;

export type Chance = keyof typeof odds;
