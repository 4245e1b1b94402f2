import { EXIT } from './exit-codes.ts'
import { run } from './run.ts'
import type { Surroundings } from './surroundings.ts'

export async function runCommand(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const [command, ...rest] = args
  if (command === 'run') return run(rest, surroundings)
  surroundings.stderr.write(`unknown command ${command}\n`)
  return EXIT.usage
}
