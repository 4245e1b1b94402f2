import { readFileSync } from 'node:fs'
import { dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import {
  bindingNames,
  compileScript,
  decodeScript,
  LANGUAGE_BY_EXTENSION,
  type Script,
  type ScriptProblem,
  ScriptSyntaxError,
} from '#scripts'
import { UsageError } from '../arguments.ts'

const EXTENSIONS = [...LANGUAGE_BY_EXTENSION.keys()]
  .sort()
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' or ')

/** Bindings of single object types; allowed, since the type that runs a file is unknown. */
const TYPE_BINDINGS = ['next', 'token']
const GROOVY_TYPE_BINDINGS = ['builder']

/** A script in a file, with the first character that is not UTF-8. */
interface CompiledFile {
  readonly script: Script
  readonly problem: ScriptProblem | null
}

/** Compiles a script in a file, in the language of its extension. Throws ScriptSyntaxError and errors of the file system. */
export async function compileFile(file: string, args: readonly string[] = []): Promise<CompiledFile> {
  const language = LANGUAGE_BY_EXTENSION.get(extname(file).toLowerCase())
  if (language === undefined) {
    throw new UsageError(`expected a file that ends with ${EXTENSIONS}, got "${file}"`)
  }
  const more = language === 'groovy' ? GROOVY_TYPE_BINDINGS : []
  const { text, problem } = decodeScript(readFileSync(file), file)
  const script = await compileScript({
    language,
    text,
    file,
    bindings: [...bindingNames(language), ...TYPE_BINDINGS, ...more, ...args],
    classFolder: classFolderOf(file),
  })
  return { script, problem }
}

/** `scripts/groovy` if the file is below it, otherwise the folder of the file. */
function classFolderOf(file: string): string {
  const path = resolve(file)
  const [before, ...below] = path.split(`${sep}scripts${sep}groovy${sep}`)
  return below.length > 0 ? join(before as string, 'scripts', 'groovy') : dirname(path)
}

/** One problem of a script. */
interface FileProblem {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
  /** A script with warnings alone is valid: it loads, and fails in requests that use the name. */
  readonly severity: 'error' | 'warning'
}

/**
 * The problems of a script; empty for a valid one. `args` are the names of its arguments where they are known: without them, any
 * variable that it does not declare may be one.
 */
export async function problemsOf(file: string, args: readonly string[] | null): Promise<FileProblem[]> {
  try {
    const { script, problem } = await compileFile(file, args ?? [])
    const names = script.undeclared.filter(({ isCertain }) => isCertain || args !== null)
    return [...(problem === null ? [] : [problem]), ...names].map((each) => fileProblem(file, each, 'warning'))
  } catch (error) {
    if (error instanceof UsageError) throw error
    if (error instanceof ScriptSyntaxError) return error.problems.map((each) => fileProblem(file, each, 'error'))
    return [fileProblem(file, { problem: `can not be read: ${(error as Error).message}`, location: null }, 'error')]
  }
}

/** A problem of the whole file is one of its first character; one of a class that it imports is in the file of the class. */
function fileProblem(
  file: string,
  { problem, location }: ScriptProblem,
  severity: FileProblem['severity'],
): FileProblem {
  const isImported = location !== null && location.file !== file
  const at = isImported ? fileOfClass(file, location.file) : file
  return { file: at, line: location?.line ?? 1, column: location?.column ?? 1, message: problem, severity }
}

/** The file of an imported class, relative where that of the script is. */
function fileOfClass(script: string, file: string): string {
  const path = join(classFolderOf(script), file)
  return isAbsolute(script) ? path : relative('', path)
}
