import { ConfigError, type Problem } from '#schema'

/** An error of `create` as problems with pointers; those of a ConfigError are relative to `base`. */
export function toConfigError(error: unknown, pointer: string, base: string, what: string): ConfigError {
  if (!(error instanceof ConfigError)) {
    return new ConfigError([{ pointer, message: `${what}: ${(error as Error).message}` }])
  }
  return new ConfigError(error.problems.map((problem) => ({ ...problem, pointer: base + problem.pointer })))
}

/** Whether pointer and message are equal. */
export function isSameProblem(a: Problem, b: Problem): boolean {
  return a.pointer === b.pointer && a.message === b.message
}
