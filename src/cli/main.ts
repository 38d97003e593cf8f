#!/usr/bin/env node
/** The program `portaria`. */
import { nodeProblem } from '../kernel/node-version.ts';

// The program is imported only after this check: an older Node.js could fail to load it.
if (nodeProblem() === null) await runProcess();
else await import('./hand-over.ts').then(({ handOver }) => handOver());

async function runProcess(): Promise<void> {
  const [{ runCli }, { flushed, processTerminal }] = await Promise.all([
    import('./run-cli.ts'),
    import('./terminal/process-terminal.ts'),
  ]);
  const code = await runCli(process.argv.slice(2), processTerminal());
  await flushed();
  // A timer or socket that a handler left open must not keep the process alive.
  process.exit(code);
}
