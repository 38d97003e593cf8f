/** What schemas and parsers say of a webhook, in Portuguese, and the right form of what they expect. */
import { NOT_UTF8 } from '../../event/delivery.ts';

/** What is expected: in Portuguese, and an example of it as JSON. */
const expectations: Readonly<Record<string, readonly [portuguese: string, example?: string]>> = {
  'a string': ['um texto', '"text"'],
  'a non-empty string': ['um texto não vazio', '"text"'],
  'a number': ['um número', '400.00'],
  'a number (reais)': ['um número (reais)', '400.00'],
  'a number (degrees)': ['um número (graus)', '-23.55'],
  'a whole number': ['um número inteiro', '400'],
  'a whole number (a count)': ['um número inteiro (uma contagem)', '400'],
  'a whole number up to 9007199254740991': ['um número inteiro até 9007199254740991', '400'],
  // The message of a group has no long numbers.
  'a whole number up to …': ['um número inteiro até …', '400'],
  'true or false': ['true ou false', 'true'],
  'an array': ['uma lista', '[]'],
  'an object': ['um objeto JSON', '{}'],
  'an object of strings': ['um objeto JSON de textos', '{}'],
  'a string or an object': ['um texto ou um objeto JSON', '"text"'],
  'a CNPJ (12 digits or capital letters, then 2 digits)': [
    'um CNPJ (12 dígitos ou letras maiúsculas, e depois 2 dígitos)',
  ],
  'a CPF (11 digits)': ['um CPF (11 dígitos)'],
  'a calendar date (YYYY-MM-DD)': ['uma data (AAAA-MM-DD)', '"2026-03-09"'],
  'an ISO 8601 date-time (such as 2026-03-09T14:05:00.000Z)': [
    'uma data com hora ISO 8601 (como 2026-03-09T14:05:00.000Z)',
    '"2026-03-09T14:05:00.000Z"',
  ],
};

const received: Readonly<Record<string, string>> = {
  null: 'null',
  undefined: 'nada',
  'an array': 'uma lista',
  'an object': 'um objeto JSON',
  'a string': 'um texto',
  'a number': 'um número',
  'a boolean': 'true ou false',
  'an empty string': 'um texto vazio',
  'another string': 'outro texto',
  'another number': 'outro número',
  'a negative number': 'um número negativo',
  'a number too large to hold': 'um número grande demais',
};

/** The names of types in zod's own messages, which the schema of a custom kind may have. */
const types: Readonly<Record<string, string>> = {
  ...{ string: 'a string', number: 'a number', int: 'a whole number', boolean: 'true or false' },
  ...{ object: 'an object', record: 'an object', array: 'an array', null: 'null', undefined: 'undefined' },
};

interface Parts {
  readonly isMissing: boolean;
  readonly what: string;
  readonly came: string | undefined;
}

function partsOf(message: string): Parts | undefined {
  const zod = /^Invalid input: expected (\w+), received (\w+)$/u.exec(message);
  if (zod !== null) {
    const [, what = '', came = ''] = zod;
    return { isMissing: came === 'undefined', what: types[what] ?? what, came: types[came] ?? came };
  }
  const own = /^(is required: )?expected (.+?)(?:, received (.+))?$/u.exec(message);
  if (own === null) return undefined;
  const [, required, what = '', came] = own;
  return { isMissing: required !== undefined, what, came };
}

/** What the parser says of bodies that are no envelopes. */
const unreadable: readonly (readonly [begin: string, portuguese: string, form?: string])[] = [
  [NOT_UTF8, 'O corpo não está em UTF-8', 'UTF-8'],
  ['The body is empty', 'O corpo está vazio'],
  ['The body is nested deeper', 'O corpo tem níveis demais'],
  ['The body is not JSON', 'O corpo não é JSON'],
  ['The body is not an envelope', 'O corpo não é um envelope com type e data'],
];

/** Whole sentences, and what they are in Portuguese. */
const sentences: readonly (readonly [form: RegExp, portuguese: string])[] = [
  [
    /^The data of (\S+) has values that the contract does not list$/u,
    'Os dados de $1 têm valores que o contrato não lista',
  ],
  [
    /^The data of (\S+) contains a number that is too large$/u,
    'Os dados de $1 contêm um número grande demais',
  ],
  [/^overtaken by event (\S+)$/u, 'ultrapassada pelo evento $1'],
  [/^timed out after (\d+) ms$/u, 'passou do tempo limite de $1 ms'],
  [
    /^timed out after (\d+) ms and ignored its abort signal$/u,
    'passou do tempo limite de $1 ms e ignorou o sinal para parar',
  ],
  [/^Not a condition here: an? (\w+) takes (.+)$/u, 'Não é uma condição aqui: $1 aceita $2'],
];

/** Whether a message says that a field is not there. */
export function saysAbsent(message: string): boolean {
  return partsOf(message)?.isMissing ?? false;
}

/** An example of what a message expects, as JSON; undefined without one. */
export function rightForm(message: string): string | undefined {
  const [, , encoding] = unreadable.find(([begin]) => message.startsWith(begin)) ?? [];
  const { what = '' } = partsOf(message) ?? {};
  return encoding ?? (Object.hasOwn(expectations, what) ? expectations[what]?.[1] : undefined);
}

/** A message in Portuguese, also one behind the path of its field; undefined where there is no translation. */
export function schemaMessage(message: string): string | undefined {
  const [, path = '', text = ''] = /^([\w.[\]]+: )?(.*)$/su.exec(message) ?? [];
  const among = /^Write one of (.+)$/u.exec(text)?.[1];
  if (among !== undefined) return `${path}escreva um de ${among}`;
  const [, kind, count] = /^The data does not match (\S+): (\d+) issues?$/u.exec(text) ?? [];
  if (kind !== undefined && count !== undefined)
    return `Os dados não correspondem a ${kind}: ${count} ${count === '1' ? 'problema' : 'problemas'}`;
  for (const [form, portuguese] of sentences)
    if (form.test(text)) return path + text.replace(form, portuguese);
  const [, body] = unreadable.find(([begin]) => text.startsWith(begin)) ?? [];
  if (body !== undefined) return body + ofJson(text);
  const { isMissing, what = '', came } = partsOf(text) ?? {};
  const wanted = expectedText(what);
  if (wanted === undefined) return undefined;
  if (isMissing === true) return `${path}é obrigatório: esperava-se ${wanted}`;
  if (came === undefined) return `${path}esperava-se ${wanted}`;
  const sent = receivedText(came);
  return sent && `${path}esperava-se ${wanted}, veio ${sent}`;
}

/** What is said of a text that is not JSON: whether it ends too early, and where. */
function ofJson(text: string): string {
  const [, early, line = '', column = ''] =
    /^The body is not JSON: (it ends too early)?.*?(?:at line (\S+), column (\S+))?$/u.exec(text) ?? [];
  const place = line === '' ? '' : `, na linha ${line}, coluna ${column}`;
  return (early === undefined ? '' : ': termina cedo demais') + place;
}

function expectedText(what: string): string | undefined {
  if (Object.hasOwn(expectations, what)) return expectations[what]?.[0];
  const example = /^a non-empty string such as (".*")$/u.exec(what)?.[1];
  if (example !== undefined) return `um texto não vazio, como ${example}`;
  return /^(?:one of )?"/u.test(what)
    ? what.replace(/^one of/u, 'um de').replace(/ or null$/u, ' ou null')
    : undefined;
}

function receivedText(came: string): string | undefined {
  const digits = /^(\d+) digits, too many for a number$/u.exec(came)?.[1];
  if (digits !== undefined) return `${digits} dígitos, demais para um número`;
  if (came.startsWith('"')) return came;
  return Object.hasOwn(received, came) ? received[came] : undefined;
}
