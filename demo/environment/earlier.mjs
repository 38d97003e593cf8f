/**
 * Loaded into a program before its own modules: its clock shows the time `DEMO_EARLIER_MS` milliseconds ago. An
 * incident has a history, and nobody waits two hours for it.
 */
const earlierMs = Number(process.env['DEMO_EARLIER_MS'] ?? 0);
const MachineDate = Date;
const now = () => MachineDate.now() - earlierMs;

globalThis.Date = new Proxy(MachineDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
