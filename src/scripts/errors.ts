/** A location in a script; line and column start at 1. */
export interface ScriptLocation {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** `file:line:column`. */
export function formatLocation({ file, line, column }: ScriptLocation): string {
  return `${file}:${line}:${column}`
}

/** A compile error. */
export interface ScriptProblem {
  readonly problem: string
  readonly place: ScriptLocation | null
}

/** A script that can not be compiled. */
export class ScriptSyntaxError extends Error {
  override readonly name = 'ScriptSyntaxError'
  readonly code = 'GW_SCRIPT_SYNTAX'
  /** All compile errors; at least one. */
  readonly problems: readonly ScriptProblem[]

  constructor(problem: string, place: ScriptLocation | null, ...more: ScriptProblem[]) {
    const problems = [{ problem, place }, ...more]
    super(problems.map(formatProblem).join('\n'))
    this.problems = problems
  }
}

/** A problem after its location. */
export function formatProblem({ problem, place }: ScriptProblem): string {
  return place === null ? problem : `${formatLocation(place)}: ${problem}`
}

/** A script that threw, or returned a value of the wrong type. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError'
  readonly code = 'GW_SCRIPT_FAILED'
  readonly place: ScriptLocation | null

  constructor(message: string, place: ScriptLocation | null) {
    super(place === null ? message : `${formatLocation(place)}: ${message}`)
    this.place = place
  }
}

/** A script that was stopped: a synchronous run or the whole evaluation exceeded its limit. */
export class ScriptTimeoutError extends Error {
  override readonly name = 'ScriptTimeoutError'
  readonly code = 'GW_SCRIPT_TIMEOUT'
}
