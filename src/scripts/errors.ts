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

/** The location of a character of a text. */
export function locationAt(text: string, index: number, file: string): ScriptLocation {
  const before = text.slice(0, index).split('\n')
  return { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/** A compile error. */
export interface ScriptProblem {
  readonly problem: string
  readonly location: ScriptLocation | null
}

/** A script that can not be compiled. */
export class ScriptSyntaxError extends Error {
  override readonly name = 'ScriptSyntaxError'
  readonly code = 'GW_SCRIPT_SYNTAX'
  /** All compile errors; at least one. */
  readonly problems: readonly ScriptProblem[]

  constructor(problem: string, location: ScriptLocation | null, ...more: ScriptProblem[]) {
    const problems = [{ problem, location }, ...more]
    super(problems.map(formatProblem).join('\n'))
    this.problems = problems
  }
}

/** A problem after its location. */
export function formatProblem({ problem, location }: ScriptProblem): string {
  return location === null ? problem : `${formatLocation(location)}: ${problem}`
}

/** A script that threw, or returned a value of the wrong type. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError'
  readonly code = 'GW_SCRIPT_FAILED'
  readonly location: ScriptLocation | null

  /** `fault`: an error of the gateway's own code, whose stack is logged. */
  constructor(message: string, location: ScriptLocation | null, fault?: Error) {
    super(location === null ? message : `${formatLocation(location)}: ${message}`, { cause: fault })
    this.location = location
  }
}

/** An invalid result of a script, or argument in an asynchronous call: reported as an error of the script, with its location. */
export class InvalidCallError extends TypeError {}

/** A script that was stopped: a synchronous run or the whole evaluation exceeded its limit. */
export class ScriptTimeoutError extends Error {
  override readonly name = 'ScriptTimeoutError'
  readonly code = 'GW_SCRIPT_TIMEOUT'
}
