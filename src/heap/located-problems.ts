import { ConfigError, documentPointer, type Problem } from '#schema'
import type { Declaration } from './declaration.ts'

/** The pointer in the document of a pointer in something that is made from a part of it, with the current names of fields. */
type Locate = (below: string) => string

/** Locates in the configuration of an object. */
export function inConfig({ pointer, config }: Pick<Declaration, 'pointer'> & Partial<Declaration>): Locate {
  return inDecoded(config, `${pointer}/config`)
}

/** Locates in a decoded value. */
export function inDecoded(decoded: unknown, pointer: string): Locate {
  return (below) => pointer + documentPointer(decoded, below)
}

/** An error of `create` as problems with pointers; those of a ConfigError are relative to the decoded value. */
export function toConfigError(error: unknown, pointer: string, locate: Locate, what: string): ConfigError {
  if (!(error instanceof ConfigError)) {
    return new ConfigError([{ pointer, message: `${what}: ${(error as Error).message}` }])
  }
  return new ConfigError(error.problems.map((problem) => ({ ...problem, pointer: locate(problem.pointer) })))
}

/** Whether pointer and message are equal. */
export function isSameProblem(a: Problem, b: Problem): boolean {
  return a.pointer === b.pointer && a.message === b.message
}
