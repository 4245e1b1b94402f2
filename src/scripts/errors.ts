/** A place in a script, counted from 1 as editors do. */
export interface ScriptPlace {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** A place as `file:line:column`. */
export function formatPlace({ file, line, column }: ScriptPlace): string {
  return `${file}:${line}:${column}`
}

/** One thing that keeps a script from being compiled. */
export interface ScriptProblem {
  readonly problem: string
  readonly place: ScriptPlace | null
}

/** A script that can not be compiled. */
export class ScriptSyntaxError extends Error {
  override readonly name = 'ScriptSyntaxError'
  readonly code = 'GW_SCRIPT_SYNTAX'
  /** All that was found; at least one. */
  readonly problems: readonly ScriptProblem[]

  constructor(problem: string, place: ScriptPlace | null, ...more: ScriptProblem[]) {
    const problems = [{ problem, place }, ...more]
    super(problems.map(formatProblem).join('\n'))
    this.problems = problems
  }
}

/** A problem with its place before it. */
export function formatProblem({ problem, place }: ScriptProblem): string {
  return place === null ? problem : `${formatPlace(place)}: ${problem}`
}

/** A script that threw, or returned what it may not. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError'
  readonly code = 'GW_SCRIPT_FAILED'
  readonly place: ScriptPlace | null

  constructor(message: string, place: ScriptPlace | null) {
    super(place === null ? message : `${formatPlace(place)}: ${message}`)
    this.place = place
  }
}

/** A script that was stopped: a stretch of it ran too long, or its evaluation did not come to an end. */
export class ScriptTimeoutError extends Error {
  override readonly name = 'ScriptTimeoutError'
  readonly code = 'GW_SCRIPT_TIMEOUT'
}
