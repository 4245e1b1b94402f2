import type { HostileOutcome } from './soak.ts'

/** The figures of a run with hostile clients as text, its problems last. */
export function hostileReport({ normal, attacks, levels, descriptors, problems }: HostileOutcome): string {
  const rows: [string, string][] = [
    ...normal.map(({ name, requests, wrongCount, slowest }): [string, string] => [
      `normal, ${name}`,
      `${requests}, ${wrongCount} unexpected answers, slowest ${slowest.toFixed(0)} ms`,
    ]),
    ...attacks.map(({ name, turns, failed }): [string, string] => [name, `${turns} turns, ${failed} failed`]),
    ...levels.map(({ what, unit, before, after, most }): [string, string] => [
      what,
      `${before.toFixed(0)}${unit} after warm-up, ${after.toFixed(0)}${unit} at the end, at most ${most.toFixed(0)}${unit}`,
    ]),
    ['descriptors left', `${descriptors.before} before the attacks, ${descriptors.after} after them`],
  ]
  const lines = rows.map(([name, text]) => `${name.padEnd(28)}${text}`)
  const end = problems.length === 0 ? ['passed'] : problems.map((problem) => `FAILED: ${problem}`)
  return [...lines, ...end].join('\n')
}
