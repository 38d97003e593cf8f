/** Shows JSON, folded and in parts. */
import type { Child, FC } from 'hono/jsx';
import { MASK } from '../../contract/personal-data.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import { isSentNumber, type SentNumber } from '../../kernel/json/sent-numbers.ts';
import { addressWith } from '../../pages/base-page.ts';
import { may, usePage } from '../page.ts';

/** Members of one object or list that are rendered; the others are on pages of their own. */
export const MAX_MEMBERS = 100;
/** Members of an object or list from which it is folded, unless it is the payload itself. */
const FOLDED_FROM = 12;
/** Characters of a text that are rendered with its neighbours. */
const MAX_TEXT = 2_000;
/** Values that are rendered in all: ten thousand make a browser slow. */
const MAX_VALUES = 1_500;

/** Characters of a pointer that an address can hold: a name may have a megabyte. */
const MAX_POINTER = 4_000;

/** Returns the address of a part of a payload, by its JSON Pointer and the first of its members. */
export type PartAddress = (pointer: string, from: number) => string;

interface JsonProps {
  readonly value: JsonValue;
  /** Where the value is in the payload, as a JSON Pointer. */
  readonly pointer?: string;
  /** The first member to render. */
  readonly from?: number;
  /** Leads to what is not rendered; without it, that is only counted. */
  readonly part?: PartAddress;
  /** Values that are marked, by their JSON Pointers, and what to show of them if not the value. What holds one is opened. */
  readonly marked?: ReadonlyMap<string, string | null>;
}

/** What the values of one rendering share. */
interface Rendering {
  readonly part: PartAddress | undefined;
  readonly marked: ReadonlyMap<string, string | null>;
  left: number;
}

/**
 * A JSON value as text, folded where it is long. Everything in it is text to the browser: a payload can
 * contain markup. Numbers are spelled as they were sent.
 */
export const Json: FC<JsonProps> = ({ value, pointer = '', from = 0, part, marked = new Map() }) => (
  <pre class="json">
    <Value
      value={value}
      depth={0}
      pointer={pointer}
      from={from}
      rendering={{ part, marked, left: MAX_VALUES }}
    />
  </pre>
);

interface ValueProps {
  readonly value: JsonValue;
  readonly depth: number;
  readonly pointer: string;
  readonly from?: number;
  readonly rendering: Rendering;
}

const Value: FC<ValueProps> = (props) =>
  props.rendering.marked.has(props.pointer) ? (
    <mark>{props.rendering.marked.get(props.pointer) ?? <PlainValue {...props} />}</mark>
  ) : (
    <PlainValue {...props} />
  );

const PlainValue: FC<ValueProps> = ({ value, depth, pointer, from = 0, rendering }) => {
  rendering.left -= 1;
  const part = pointer.length > MAX_POINTER ? undefined : rendering.part;
  if (typeof value !== 'object' || value === null || isSentNumber(value))
    return <Scalar value={value} isWhole={depth === 0} more={part?.(pointer, 0)} />;
  const isList = Array.isArray(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const names = isList ? undefined : Object.keys(value);
  const count = names?.length ?? (value as readonly JsonValue[]).length;
  if (count === 0) return <>{`${open}${close}`}</>;
  if (rendering.left < 0)
    return (
      <>
        {open} <Members count={count} href={part?.(pointer, 0)} /> {close}
      </>
    );
  const end = Math.min(count, from + MAX_MEMBERS);
  const shown = Array.from({ length: Math.max(0, end - from) }, (_, index) => {
    const name = names?.[from + index] ?? String(from + index);
    return [name, (value as Readonly<Record<string, JsonValue>>)[name] ?? null] as const;
  });
  const more = (left: number, href?: string) =>
    left > 0 && (
      <>
        {`\n${'  '.repeat(depth + 1)}`}
        <span class="soft">… </span>
        <Members count={left} href={href} />
      </>
    );
  const content = (
    <>
      {more(from)}
      {shown.map(([name, member], index) => (
        <>
          {`\n${'  '.repeat(depth + 1)}`}
          {!isList && <span class="name">{JSON.stringify(name)}</span>}
          {!isList && ': '}
          <Value
            value={member}
            depth={depth + 1}
            pointer={`${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`}
            rendering={rendering}
          />
          {from + index < count - 1 && ','}
        </>
      ))}
      {more(count - from - shown.length, part?.(pointer, from + MAX_MEMBERS))}
      {`\n${'  '.repeat(depth)}${close}`}
    </>
  );
  if (depth === 0 || count < FOLDED_FROM) return <>{[open, content] as Child[]}</>;
  return (
    <details open={[...rendering.marked.keys()].some((each) => each.startsWith(`${pointer}/`))}>
      <summary>
        {open} <Members count={count} /> <span class="close">{close}</span>
      </summary>
      {content}
    </details>
  );
};

const Scalar: FC<{
  readonly value: string | number | boolean | null | SentNumber;
  readonly isWhole: boolean;
  readonly more: string | undefined;
}> = ({ value, isWhole, more }) => {
  const { words, format } = usePage();
  if (value === MASK)
    return (
      <span class="masked" title={words.event.maskedValue}>
        {MASK}
      </span>
    );
  if (typeof value === 'string' && value.length > MAX_TEXT && !isWhole)
    return (
      <>
        <span class="string">{JSON.stringify(value.slice(0, MAX_TEXT))}</span>{' '}
        {more === undefined ? (
          <span class="soft">…</span>
        ) : (
          <a href={more}>{words.payload.characters(format.number(value.length))}</a>
        )}
      </>
    );
  const type = value === null ? 'null' : isSentNumber(value) ? 'number' : typeof value;
  return <span class={type}>{JSON.stringify(value)}</span>;
};

const Members: FC<{ readonly count: number; readonly href?: string | undefined }> = ({ count, href }) => {
  const text = usePage().words.event.members(count);
  return href === undefined ? <span class="soft">{text}</span> : <a href={href}>{text}</a>;
};

/** The way to personal data in plain text, and back, for those who may see it. */
export const UnmaskLink: FC<{ readonly masked: boolean }> = ({ masked }) => {
  const page = usePage();
  const { event } = page.words;
  if (!may(page, 'unmask')) return null;
  return (
    <a class="button" href={addressWith(page.url, { unmask: masked ? 'true' : null, retried: null })}>
      {masked ? event.unmask : event.mask}
    </a>
  );
};
