/** Days in the time zone of Brasília. */

const format = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Sao_Paulo',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/**
 * Returns the day (`YYYY-MM-DD`) in Brasília at an instant (milliseconds since 1970).
 * Deadlines are days of that time zone, wherever the process runs.
 */
export function brazilianDay(instant: number): string {
  return format.format(instant);
}

/** Returns the first instant of a day in Brasília, ISO 8601 in UTC. Brazil has had no summer time since 2019. */
export function startOfDay(day: string): string {
  return new Date(`${day}T00:00:00-03:00`).toISOString();
}

/** Adds days to a day (`YYYY-MM-DD`). @param count negative for earlier days. */
export function addDays(day: string, count: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + count);
  return date.toISOString().slice(0, 'YYYY-MM-DD'.length);
}
