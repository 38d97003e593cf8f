/** A record's keys are the sender's own, and as long as it likes. */
const MAX_PATH = 200;

/** Where a schema found something, from `root` on: `data.amount`, `data.signers[0].email`, `data.vars["driver name"]`. */
export function issuePath(path: readonly PropertyKey[], root: string): string {
  const text = path.reduce<string>((parent, step) => parent + stepText(step), root);
  return text.length > MAX_PATH ? `${text.slice(0, MAX_PATH)}…` : text;
}

function stepText(step: PropertyKey): string {
  if (typeof step === 'number') return `[${String(step)}]`;
  const name = String(step);
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
