#!/usr/bin/env node
import { nodeProblem } from '../kernel/node-version.ts';

// Both are loaded late: an older Node.js could fail on the program while it loads.
if (nodeProblem() === null) await import('./run-process.ts');
else await import('./hand-over.ts').then(({ handOver }) => handOver());
