/** Bodies for load: one stream a subject, no two bodies alike. */

/** Changes of one charge, which has no version: each is told from the others by its code, `<id>-<turn>`. */
export function* charges(id: number): Generator<string, never> {
  for (let turn = 1; ; turn += 1) yield chargeBody(id, turn);
}

export function chargeBody(id: number, turn: number): string {
  const data = { id, type: 'fee', status: 'pending', amount: turn, code: `${String(id)}-${String(turn)}` };
  return JSON.stringify({ type: 'charge.updated', data });
}

const steps = [
  { type: 'company.login.started', step: null },
  { type: 'company.login.step.updated', step: 'password' },
  { type: 'company.login.succeeded', step: 'completed' },
] as const;

/** Attempts of one company's login, one after the other, each event a minute after the last. */
export function* logins(id: number): Generator<string, never> {
  for (let turn = 0; ; turn += 1) yield loginBody(id, turn);
}

/** The event of a turn, counted from 0; what came before that is negative. */
export function loginBody(id: number, turn: number): string {
  const { type, step } = steps[(turn + steps.length) % steps.length] ?? steps[0];
  const occurredAt = new Date(Date.UTC(2026, 0, 1) + turn * 60_000).toISOString();
  const data = { id, connected: step === 'completed', step, attempt: 1, occurred_at: occurredAt };
  return JSON.stringify({ type, data });
}
