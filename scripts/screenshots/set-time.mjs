/**
 * Loaded into a program before its own modules: its clock shows the milliseconds in the file
 * `SCREENSHOT_TIME_FILE`, so that pages with times look the same each time.
 */
import { readFileSync } from 'node:fs';

const file = process.env['SCREENSHOT_TIME_FILE'] ?? '';
const MachineDate = Date;
const now = () => Number(readFileSync(file, 'utf8'));

globalThis.Date = new Proxy(MachineDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
