/** Fields that several forms have. */
import type { FC } from 'hono/jsx';
import { MAX_REASON } from '../../privacy/holds.ts';

/** Why: stored with what is done, and in the audit. */
export const ReasonField: FC<{ readonly label: string; readonly hint?: string; readonly value?: string }> = ({
  label,
  hint,
  value,
}) => (
  <label>
    <span>{label}</span>
    <input name="reason" required maxlength={MAX_REASON} autocomplete="off" value={value} />
    {hint !== undefined && <span class="soft">{hint}</span>}
  </label>
);

/** What a form sends along; a name may come more than once. */
export const Hidden: FC<{ readonly fields: readonly (readonly [name: string, value: string])[] }> = ({
  fields,
}) => (
  <>
    {fields.map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
);
