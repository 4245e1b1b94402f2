import { ConfigError, type Problem } from '#schema'

/** What an object threw while it was made, as problems with a place; its own problems are relative to `base`. */
export function toConfigError(error: unknown, pointer: string, base: string, what: string): ConfigError {
  if (!(error instanceof ConfigError)) {
    return new ConfigError([{ pointer, message: `${what}: ${(error as Error).message}` }])
  }
  return new ConfigError(error.problems.map((problem) => ({ ...problem, pointer: base + problem.pointer })))
}

/** Whether two problems say the same of the same place. */
export function isSameProblem(a: Problem, b: Problem): boolean {
  return a.pointer === b.pointer && a.message === b.message
}
