#!/usr/bin/env node
/** `npm run demo`: plays a day of a fleet in a minute and compares every subject. `-- --help` prints the options. */
import { BootstrapFailure } from '../scripts/bootstrap/report.mjs';
import { readOptions, usage, UsageError } from './options.mjs';
import { runDemo } from './run-demo.mjs';
import { runIncident } from './incidents/run-incident.mjs';

/** The exit codes of the command line. */
const exitCode = { different: 1, failed: 1, usage: 2, interrupted: 130 };

const interruption = new AbortController();
for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(name, () => {
    // A second signal exits at once; the reaper ends the processes.
    if (interruption.signal.aborted) process.exit(exitCode.interrupted);
    interruption.abort();
  });

try {
  const options = readOptions(process.argv.slice(2));
  if (options === null) console.log(usage);
  else if (options.incident !== null) {
    const { incident, seed, keep } = options;
    await runIncident({ name: incident, seed, keep }, { out: process.stdout, signal: interruption.signal });
  } else {
    const isEqual = await runDemo(options, { out: process.stdout, signal: interruption.signal });
    process.exitCode = isEqual ? 0 : exitCode.different;
  }
} catch (error) {
  if (interruption.signal.aborted) process.exitCode = exitCode.interrupted;
  else if (error instanceof UsageError) {
    console.error(`${error.message}\n\n${usage}`);
    process.exitCode = exitCode.usage;
  } else {
    // What the user can mend needs no stack.
    console.error(error instanceof BootstrapFailure ? error.message : error);
    process.exitCode = exitCode.failed;
  }
}
