import type { SecretsProvider } from '#contracts'
import { type Exchange, type Handler, respond } from '#http'
import { createLogger, type MemoryLog, memoryLog } from '#logging'
import { compileScript, ObjectScript, type ResultShape, type Script, type ScriptLanguage } from '#scripts'
import { exchangeFor } from './exchange.ts'

/** The environment of a script under test. */
export interface ScriptOptions {
  readonly args?: Readonly<Record<string, unknown>>
  readonly next?: Handler
  readonly token?: string
  readonly clientHandler?: Handler
  readonly properties?: Readonly<Record<string, unknown>>
  readonly timeout?: number
  readonly deadline?: number
  readonly language?: ScriptLanguage
  readonly exchange?: Exchange
  readonly secrets?: SecretsProvider
  readonly values?: Readonly<Record<string, unknown>>
  readonly clock?: { now(): number }
  readonly environment?: ReadonlyMap<string, string>
  readonly files?: {
    readonly instance: string
    readonly config: string
    readonly secrets: string
    readonly readable: readonly string[]
  }
}

/** A script under test. */
export interface TestedScript {
  readonly log: MemoryLog
  evaluate(result?: ResultShape, exchange?: Exchange): Promise<unknown>
  /** Uses another text from now on. */
  replace(text: string): Promise<void>
}

const BINDINGS =
  'request response context contexts attributes session globals http audit logger properties next token'.split(' ')

/** A script without a scriptable object. Its name in errors is `test.js`. */
export function scriptOf(source: string, options: ScriptOptions = {}): TestedScript {
  const { args = {}, language = 'javascript', next, token, values = {} } = options
  const log = memoryLog()
  const more = language === 'groovy' ? ['args', 'clock'] : []
  const bindings = [
    ...BINDINGS,
    ...more,
    ...(options.secrets === undefined ? [] : ['secrets']),
    ...Object.keys(args),
    ...Object.keys(values),
  ]
  const file = language === 'groovy' ? 'test.groovy' : 'test.js'
  const compile = (text: string): Promise<Script> => compileScript({ language, text, file, bindings })
  const settings = {
    scope: { lookup: (name: string) => options.properties?.[name] },
    logger: createLogger({ level: 'trace', format: 'json', destination: log }),
    clientHandler: options.clientHandler ?? (async () => respond(204)),
    args,
    secrets: options.secrets ?? null,
    clock: options.clock ?? Date,
    files: options.files ?? null,
    environment: options.environment ?? new Map<string, string>(),
    timeout: options.timeout ?? 1_000,
    deadline: options.deadline ?? 30_000,
  }
  const opened = compile(source).then((script) => new ObjectScript(script, settings))
  opened.catch(() => undefined)
  return {
    log,
    replace: async (text) => (await opened).replace(await compile(text)),
    evaluate: async (result = 'json', exchange = options.exchange) =>
      (await opened).evaluate({
        exchange: exchange ?? exchangeFor('GET', 'http://app.example.com/path?q=1&q=2'),
        result,
        values,
        ...(next === undefined ? {} : { next }),
        ...(token === undefined ? {} : { token }),
      }),
  }
}

/** The result of a script, as JSON. */
export async function resultOf(source: string, options: ScriptOptions = {}): Promise<unknown> {
  const value = await scriptOf(source, options).evaluate()
  return JSON.parse(JSON.stringify(value))
}
