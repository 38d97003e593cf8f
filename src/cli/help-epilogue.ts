import { exitCodeMeanings } from './exit-code.ts';

/** What `portaria --help` says after the commands. */
export const helpEpilogue = `
Examples:
  portaria serve                                        receive, dispatch, answer operators
  portaria send company.created --set data.id=7         post a fixture to the running serve
  portaria events list --kind 'traffic-violation.*' --since 2h
  portaria subjects show company-login:12               one entity's whole story
  portaria deliveries list --status dead --json | jq -r .last_error
  portaria deliveries retry --status dead --handler forward
  portaria quarantine release --dry-run                 what an upgrade would let through
  portaria replay --handler payment-slip --since 3d --dry-run

Everything but serve works beside a running serve, on the same database. Settings are
environment variables (PORTARIA_DATABASE, PORTARIA_HANDLERS, ...); README lists them.

Exit codes:
${exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padEnd(5)}${meaning}`).join('\n')}
`;
