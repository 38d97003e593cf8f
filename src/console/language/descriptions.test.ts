import { expect, it } from 'vitest';
import { specification } from '../../contract/specification.ts';
import { fieldDetails } from '../../operate/contract/kind-detail.ts';
import { fieldMeanings } from './field-meanings.ts';
import { kindTitles } from './kind-titles.ts';

it('every kind of the specification has a title and a description in Portuguese, and each field a meaning', () => {
  const texts = specification.kinds.flatMap((kind) => [
    kind.title,
    kind.description,
    ...fieldDetails(kind).flatMap(({ description }) => description ?? []),
  ]);
  const known = new Set([...Object.keys(kindTitles), ...Object.keys(fieldMeanings)]);
  expect([...new Set(texts)].filter((text) => !known.has(text))).toEqual([]);
});
