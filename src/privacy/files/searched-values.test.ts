import { expect, it } from 'vitest';
import { collectSearchedValues, MAX_SEARCHED_VALUES } from './search-files.ts';

it('keeps each value once, and none that is in every file by chance', () => {
  const searched = collectSearchedValues();
  for (const value of ['Ana Prado', 'Ana Prado', 'Eva', 'Bruno Lima']) searched.add(value);
  expect([...searched.values]).toEqual(['Ana Prado', 'Bruno Lima']);
  expect(searched.isOver).toBe(false);
});

it('keeps as many values as a search takes, and says that there were more', () => {
  const searched = collectSearchedValues();
  for (let at = 0; at < MAX_SEARCHED_VALUES; at += 1) searched.add(`person ${String(at)}`);
  expect(searched.isOver).toBe(false);
  searched.add('person 0');
  expect(searched.isOver, 'a known one').toBe(false);
  searched.add('one more');
  expect([searched.values.size, searched.isOver]).toEqual([MAX_SEARCHED_VALUES, true]);
});

it('keeps no more text than one process gives to another', () => {
  const searched = collectSearchedValues();
  for (let at = 0; at < 9; at += 1) searched.add(String(at).repeat(1024 * 1024));
  expect([searched.values.size, searched.isOver]).toEqual([8, true]);
});
