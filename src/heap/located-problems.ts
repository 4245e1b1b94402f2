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

/** Checks the settled configuration of an object by the rules of its type; throws with all problems. */
export function checkSettled(declaration: Declaration, settled: unknown, warn: (problem: Problem) => void): void {
  const locate = inConfig(declaration)
  const problems: Problem[] = []
  declaration.definition.check(
    settled as never,
    (below, message) => problems.push({ pointer: locate(below), message }),
    (message, below) => warn({ pointer: below === undefined ? declaration.pointer : locate(below), message }),
  )
  if (problems.length > 0) throw new ConfigError(problems)
}

/** An error of `create` as problems with pointers; those of a ConfigError are relative to the decoded value. */
export function toConfigError(error: unknown, pointer: string, locate: Locate, what: string): ConfigError {
  if (!(error instanceof ConfigError)) {
    return new ConfigError([{ pointer, message: `${what}: ${(error as Error).message}` }], { cause: error })
  }
  const problems = error.problems.map((problem) => ({ ...problem, pointer: locate(problem.pointer) }))
  return new ConfigError(problems, { cause: error.cause })
}

/** Whether pointer and message are equal. */
export function isSameProblem(a: Problem, b: Problem): boolean {
  return a.pointer === b.pointer && a.message === b.message
}
