import type { Child, FC } from 'hono/jsx';
import { MASK } from '../../contract/personal-data.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import { usePage } from '../page.ts';

/** Members of one object or list that are rendered; the rest is counted. A payload may have 100,000. */
const MAX_MEMBERS = 100;
/** Members of an object or list from which it is folded, unless it is the payload itself. */
const FOLDED_FROM = 12;

/**
 * A JSON value as text, folded where it is long. Everything in it is text to the browser: a payload can
 * contain markup.
 */
export const Json: FC<{ readonly value: JsonValue }> = ({ value }) => (
  <pre class="json">
    <Value value={value} depth={0} />
  </pre>
);

const Value: FC<{ readonly value: JsonValue; readonly depth: number }> = ({ value, depth }) => {
  if (typeof value !== 'object' || value === null) return <Scalar value={value} />;
  const isList = Array.isArray(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const members = Object.entries(value);
  if (members.length === 0) return <>{`${open}${close}`}</>;
  const content = (
    <>
      {members.slice(0, MAX_MEMBERS).map(([name, member], index) => (
        <>
          {`\n${'  '.repeat(depth + 1)}`}
          {!isList && <span class="name">{JSON.stringify(name)}</span>}
          {!isList && ': '}
          <Value value={member} depth={depth + 1} />
          {index < members.length - 1 && ','}
        </>
      ))}
      <More count={members.length - MAX_MEMBERS} depth={depth} />
      {`\n${'  '.repeat(depth)}${close}`}
    </>
  );
  if (depth === 0 || members.length < FOLDED_FROM) return <>{[open, content] as Child[]}</>;
  return (
    <details>
      <summary>
        {open} <Members count={members.length} /> {close}
      </summary>
      {open}
      {content}
    </details>
  );
};

const Scalar: FC<{ readonly value: string | number | boolean | null }> = ({ value }) =>
  value === MASK ? (
    <span class="masked" title={usePage().words.event.maskedValue}>
      {MASK}
    </span>
  ) : (
    <span class={value === null ? 'null' : typeof value}>{JSON.stringify(value)}</span>
  );

const Members: FC<{ readonly count: number }> = ({ count }) => (
  <span class="soft">{usePage().words.event.members(count)}</span>
);

const More: FC<{ readonly count: number; readonly depth: number }> = ({ count, depth }) =>
  count <= 0 ? null : (
    <>
      {`\n${'  '.repeat(depth + 1)}`}
      <span class="soft">… </span>
      <Members count={count} />
    </>
  );
