import { readFile, realpath } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import { PatchError, type Transformation } from '#crest'
import { type Exchange, respond } from '#http'
import { isPlainObject, type JsonValue, parseJson } from '#json'
import type { Logger } from '#logging'
import {
  compileScript,
  LANGUAGE_BY_MEDIA_TYPE,
  ObjectScript,
  ScriptError,
  type ScriptLanguage,
  ScriptSyntaxError,
  ScriptTimeoutError,
} from '#scripts'

/** Settings of scripts in patches. */
export interface PatchScripts {
  /** False: `transform` is 403 (spec gap 108). */
  readonly enabled: boolean
  /** The only folder that scripts are read from (threats B77). */
  directory(): string
  /** Milliseconds: the longest run without a pause, and the longest evaluation. */
  readonly timeout: number
  readonly deadline: number
  readonly logger: Logger
}

/** Runs a `transform`: a script gets `value` and `resource` and returns the new value. */
export function scriptTransformation(scripts: PatchScripts, exchange: Exchange): Transformation {
  return async (value, instruction, resource) => {
    if (!scripts.enabled) throw new PatchError('transform is not enabled; set patchTransform in admin.json', 403)
    const { language, file } = readInstruction(instruction)
    const text = await readScript(scripts.directory(), language, file)
    try {
      const program = await compileScript({ language, text, file, bindings: ['value', 'resource', 'logger'] })
      const script = new ObjectScript(program, {
        scope: { lookup: () => undefined },
        logger: scripts.logger,
        clientHandler: async () => respond(502),
        args: {},
        secrets: null,
        clock: Date,
        environment: new Map(),
        files: null,
        timeout: scripts.timeout,
        deadline: scripts.deadline,
      })
      const result = await script.evaluate({ exchange, result: 'json', values: { value, resource } })
      const json = JSON.stringify(result ?? null)
      // A script without a return also results in null.
      if (json === 'null') throw new PatchError(`${file}: expected the script to return the new value, got null`)
      return parseJson(json)
    } catch (error) {
      const isOfScript = [ScriptSyntaxError, ScriptError, ScriptTimeoutError].some((kind) => error instanceof kind)
      throw isOfScript ? new PatchError(`the script failed: ${(error as Error).message}`) : error
    }
  }
}

function readInstruction(instruction: JsonValue): { language: ScriptLanguage; file: string } {
  const script = isPlainObject(instruction) ? instruction['script'] : undefined
  const { type, file } = isPlainObject(script) ? script : {}
  const language = typeof type === 'string' ? LANGUAGE_BY_MEDIA_TYPE.get(type) : undefined
  if (language === undefined || typeof file !== 'string') {
    const types = [...LANGUAGE_BY_MEDIA_TYPE.keys()].join(', ')
    throw new PatchError(`transform: expected { "script": { "type", "file" } } with a type of ${types}`)
  }
  return { language, file }
}

/** The text of a script; symbolic links are resolved first, so that none points outside of the folder. */
async function readScript(directory: string, language: ScriptLanguage, file: string): Promise<string> {
  for (const candidate of file.includes('\0') ? [] : [resolve(directory, language, file), resolve(directory, file)]) {
    try {
      const [root, real] = await Promise.all([realpath(directory), realpath(candidate)])
      const way = relative(root, real)
      if (way !== '' && way !== '..' && !way.startsWith(`..${sep}`)) return await readFile(real, 'utf8')
    } catch {
      // Missing or unreadable: try the next folder; the error is the same for all reasons.
    }
  }
  throw new PatchError('transform: no such file in the scripts folder')
}
