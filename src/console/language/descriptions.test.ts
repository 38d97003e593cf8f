import { expect, it } from 'vitest';
import { specification } from '../../contract/specification.ts';
import { fieldDetails } from '../../operate/contract/kind-detail.ts';
import { descriptions } from './descriptions.ts';

it('every kind of the specification has a title and a description in Portuguese, and each field a meaning', () => {
  const texts = specification.kinds.flatMap((kind) => [
    kind.title,
    kind.description,
    ...fieldDetails(kind).flatMap(({ description }) => description ?? []),
  ]);
  expect([...new Set(texts)].filter((text) => !Object.hasOwn(descriptions, text))).toEqual([]);
});
