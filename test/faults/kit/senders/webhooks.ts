/** Bodies for load tests: one stream per subject, and no two bodies are equal. */

/** Endless changes of one charge. Charges have no version; each change is identified by its code, `<id>-<number>`. */
export function* charges(id: number): Generator<string, never> {
  for (let number = 1; ; number += 1) yield chargeBody(id, number);
}

export function chargeBody(id: number, number: number): string {
  const data = {
    id,
    type: 'fee',
    status: 'pending',
    amount: number,
    code: `${String(id)}-${String(number)}`,
  };
  return JSON.stringify({ type: 'charge.updated', data });
}

const steps = [
  { type: 'company.login.started', step: null },
  { type: 'company.login.step.updated', step: 'password' },
  { type: 'company.login.succeeded', step: 'completed' },
] as const;

/** Endless login attempts of one company, each event a minute after the last. */
export function* logins(id: number): Generator<string, never> {
  for (let number = 0; ; number += 1) yield loginBody(id, number);
}

/** The login event with this number, counted from 0. Negative numbers are earlier events. */
export function loginBody(id: number, number: number): string {
  const { type, step } = steps[(number + steps.length) % steps.length] ?? steps[0];
  const occurredAt = new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString();
  const data = { id, connected: step === 'completed', step, attempt: 1, occurred_at: occurredAt };
  return JSON.stringify({ type, data });
}
