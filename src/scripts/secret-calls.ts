// Calls `secrets.get('id')` of scripts in JavaScript and TypeScript, checked when they are compiled.
import { locationAt, type ScriptLocation, ScriptSyntaxError } from './errors.ts'
import { secretIdProblem } from './script-secrets.ts'

const CALL = /\bsecrets\s*(?:\?\.|\.)\s*get\s*\(\s*(?:(['"`])((?:(?!\1)[^\\\n$])*)\1\s*\))?/g

/** A variable or parameter of the script with the name of the binding: its calls are not checked. */
const DECLARED =
  /\b(?:const|let|var|function|class)\b[^=;\n]*\bsecrets\b|\(([^()]*\W)?secrets\b[^()]*\)\s*(?:=>|\{)|\bsecrets\s*=>/

/** The parts of a script's source that decide about its calls. */
interface SecretUse {
  readonly file: string
  readonly bindings: readonly string[]
  readonly missing?: ReadonlyMap<string, string>
}

/**
 * Rejects calls where the object has no secrets, and literal ids that no secret can have. Ids that are computed are checked by
 * the call. V8 decides whether a call is code, as for `import()`: there `export` in place of the variable is a syntax error.
 */
export function checkSecretCalls(
  text: string,
  { file, bindings, missing }: SecretUse,
  compiles: (text: string) => boolean,
): void {
  const reason = missing?.get('secrets')
  if (reason === undefined && !bindings.includes('secrets')) return
  if (!text.includes('secrets') || DECLARED.test(text)) return
  const problems: { problem: string; location: ScriptLocation }[] = []
  for (const { index, 2: id } of text.matchAll(CALL)) {
    const problem = reason ?? (id === undefined ? null : secretIdProblem(id))
    if (problem === null) continue
    if (compiles(`${text.slice(0, index)}export ${text.slice(index + 'secrets'.length)}`)) continue
    problems.push({ problem: `secrets.get: ${problem}`, location: locationAt(text, index, file) })
  }
  const [first, ...more] = problems
  if (first !== undefined) throw new ScriptSyntaxError(first.problem, first.location, ...more)
}
