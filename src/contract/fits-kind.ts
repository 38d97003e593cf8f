import { catalogue, type EventKind } from './catalogue.ts';
import { compileCheck, type Check } from './compile-check.ts';

const checks = new Map<EventKind, Check>();

/** Whether `data` is what the contract says events of the kind carry. What is wrong with it, its schema tells. */
export function fitsKind(kind: EventKind, data: unknown): boolean {
  let check = checks.get(kind);
  if (check === undefined) {
    check = compileCheck(catalogue[kind].schema);
    checks.set(kind, check);
  }
  return check(data);
}
