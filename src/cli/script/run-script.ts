import { type Handler, type Response, respond } from '#http'
import { isPlainObject, parseJson } from '#json'
import { createLogger, type LogDestination } from '#logging'
import { formatProblem, ObjectScript } from '#scripts'
import { UsageError } from '../arguments.ts'
import { exchangeOf } from '../eval/request-file.ts'
import { compileFile } from './script-file.ts'

/** Input of a run. */
interface ScriptRun {
  readonly file: string
  /** File of the request; a plain request by default. */
  readonly request: string | undefined
  /** JSON of the arguments. */
  readonly args: string | undefined
  /** Longest run, in milliseconds: of JavaScript without a pause, of Groovy in all. */
  readonly timeout: number
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly log: LogDestination
}

/** Requests of a script are not sent: they get this response, and are logged. */
function noNetwork(log: LogDestination): Handler {
  return async ({ request }) => {
    log.write(`not sent: ${request.method} ${request.uri}\n`)
    return respond(502, {}, 'gateway script run sends no requests')
  }
}

/** Runs a script for one request, as a filter or handler does. `next` responds with 200. */
export async function runScript(run: ScriptRun): Promise<Response> {
  const args = argumentsIn(run.args)
  const { script, problem } = await compileFile(run.file, Object.keys(args))
  if (problem !== null) run.log.write(`warning: ${formatProblem(problem)}\n`)
  const exchange = exchangeOf(run.request)
  const object = new ObjectScript(script, {
    scope: { lookup: () => undefined },
    logger: createLogger({ level: 'info', format: 'pretty', destination: run.log }),
    clientHandler: noNetwork(run.log),
    args,
    secrets: null,
    clock: Date,
    environment: new Map(
      Object.entries(run.environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    files: null,
    timeout: run.timeout,
    deadline: 30_000,
  })
  // Timers of scripts do not keep a process alive.
  const alive = setInterval(() => undefined, 60_000)
  try {
    return (await object.evaluate({ exchange, result: 'response', next: async () => respond(200) })) as Response
  } finally {
    clearInterval(alive)
    exchange.complete()
  }
}

/** The arguments of a script in the option `--args`. */
export function argumentsIn(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {}
  try {
    const value = parseJson(text)
    if (isPlainObject(value)) return value
  } catch (error) {
    throw new UsageError(`--args is not JSON: ${(error as Error).message}`)
  }
  throw new UsageError('--args: expected a JSON object, argument name to value')
}
