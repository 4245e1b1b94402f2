import { exchangeScope, type Request } from '#http'
import type { Logger } from '#logging'
import { InvalidCallError, ScriptError, type ScriptLocation, ScriptTimeoutError } from './errors.ts'
import { type CallName, type CallSettings, EvaluationCalls } from './evaluation-calls.ts'
import type { EvaluationInput } from './evaluation-input.ts'
import type { EvaluationPort, ResultShape, ScriptLogLevel } from './evaluation-port.ts'
import type { Guard, SyncRun } from './guard.ts'
import { packed } from './host-function.ts'
import { writeScriptEntry } from './log-events.ts'
import type { RealmProgram } from './program.ts'
import type { SettleCall } from './realm/evaluations.ts'
import type { Realm } from './realm.ts'

/** Settings of all evaluations of one object. */
export interface EvaluationSettings extends CallSettings {
  readonly realm: Realm
  readonly guard: Guard
  readonly logger: Logger
  readonly args: Readonly<Record<string, unknown>>
  readonly heapArgs: ReadonlySet<string>
  /** Milliseconds, for messages. */
  readonly timeout: number
  /** Milliseconds until an evaluation is aborted. */
  readonly deadline: number
}

// Limits of the log of one synchronous run: a script that logs in a loop must not exhaust memory before it is stopped.
const MAX_LOG_ENTRIES = 1_000
const MAX_LOG_TEXT = 16_384

/** One run of a script for one request, from its start to its outcome. */
export class Evaluation implements EvaluationPort {
  readonly result: ResultShape
  readonly request: Request
  readonly token: string | null
  readonly outcome: Promise<unknown>
  readonly #settings: EvaluationSettings
  readonly #program: RealmProgram
  readonly #input: EvaluationInput
  readonly #settle: { resolve(value: unknown): void; reject(error: unknown): void }
  readonly #calls: EvaluationCalls
  #log: (readonly [ScriptLogLevel, string])[] = []
  #settleCall: SettleCall | null = null
  #timer: NodeJS.Timeout | null = null
  #ended = false

  constructor(settings: EvaluationSettings, program: RealmProgram, input: EvaluationInput) {
    this.#settings = settings
    this.#program = program
    this.#input = input
    this.#calls = new EvaluationCalls(input, settings)
    this.result = input.result
    this.request = input.exchange.request
    this.request.entityLimits = input.exchange.storage.entityLimits
    this.token = input.token ?? null
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.outcome = promise
    this.#settle = { resolve, reject }
    this.#enter(() => {
      settings.guard.afterwards(() => this.#paused())
      this.#settleCall = settings.realm.start(program, this)
    })
  }

  lookup(name: string): object {
    return exchangeScope(this.#input.exchange, null, { lookup: () => undefined }).lookup(name) as object
  }

  argument(name: string): unknown {
    const { values } = this.#input
    return values !== undefined && Object.hasOwn(values, name) ? values[name] : this.#settings.args[name]
  }

  isShared(name: string): boolean {
    return Object.hasOwn(this.#settings.args, name) && !this.#settings.heapArgs.has(name)
  }

  startCall(number: number, what: string, subject: unknown, argument: unknown): void {
    this.#settings.guard.afterwards(() => {
      if (this.#ended) return this.#rejectCall(number)
      this.#calls.perform(what as CallName, subject, argument).then(
        (value) => this.#resume(number, value, null),
        (error: unknown) => this.#resume(number, error, String((error as Error | null)?.message)),
      )
    })
  }

  /** Calls on behalf of an earlier request, stored in `globals`, are rejected. */
  #rejectCall(number: number): void {
    const { guard, realm } = this.#settings
    const run = () => {
      this.#settleCall?.(number, null, 'the request that this belongs to has ended')
      realm.settle()
    }
    guard.enqueue({ run, stopped: () => undefined, failed: () => undefined })
  }

  logs(level: ScriptLogLevel): boolean {
    return this.#log.length < MAX_LOG_ENTRIES && this.#settings.logger.isEnabled(level)
  }

  log(level: ScriptLogLevel, text: string): void {
    // Written after the run: the watchdog must not stop the logger.
    if (this.#log.length === 0) this.#settings.guard.afterwards(() => this.#writeLog())
    this.#log.push([level, text.slice(0, MAX_LOG_TEXT)])
  }

  deliver(value: unknown): void {
    this.#settings.guard.afterwards(() => this.#end(() => this.#settle.resolve(value), value))
  }

  failed(message: string, stack: string, cause: unknown): void {
    this.#settings.guard.afterwards(() => {
      const isOfGateway = cause instanceof Error && !(cause instanceof InvalidCallError)
      const error = isOfGateway ? cause : new ScriptError(message, this.#locationIn(stack))
      this.#end(() => this.#settle.reject(error), null)
    })
  }

  #enter(run: () => void): void {
    const syncRun: SyncRun = {
      run,
      stopped: () => {
        const message = `${this.#program.file}: stopped: it ran ${this.#settings.timeout} ms without a pause`
        this.#end(() => this.#settle.reject(new ScriptTimeoutError(message)), null)
      },
      // The thrown value may be an object of the script, which must not be accessed here.
      failed: () => {
        const error = new ScriptError(`${this.#program.file}: failed outside of its own function`, null)
        this.#end(() => this.#settle.reject(error), null)
      },
    }
    this.#settings.guard.enqueue(syncRun)
  }

  /** Continues the script with the result of a call. */
  #resume(number: number, value: unknown, problem: string | null): void {
    if (this.#ended) return
    this.#enter(() => {
      if (this.#ended) return
      this.#settings.guard.afterwards(() => this.#paused())
      this.#settleCall?.(number, packed(value), problem)
      this.#settings.realm.settle()
    })
  }

  /** Most scripts end with their first run, and need no timer. */
  #paused(): void {
    if (this.#ended) return
    this.#timer ??= setTimeout(() => this.#timeOut(), this.#settings.deadline).unref()
  }

  #timeOut(): void {
    const message = `${this.#program.file}: timed out: it did not end within ${this.#settings.deadline} ms`
    this.#end(() => this.#settle.reject(new ScriptTimeoutError(message)), null)
  }

  /** After the outcome later calls of the script are ignored, and responses that it did not return are cancelled. */
  #end(settle: () => void, result: unknown): void {
    if (this.#ended) return
    this.#ended = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#calls.end(result)
    settle()
  }

  #writeLog(): void {
    const entries = this.#log
    this.#log = []
    for (const [level, text] of entries) writeScriptEntry(this.#settings.logger, level, text)
  }

  #locationIn(stack: string): ScriptLocation | null {
    const { file } = this.#program
    for (const line of stack.split('\n', 50)) {
      const at = line.lastIndexOf(`${file}:`)
      const [, row, column] = at < 0 ? [] : (/^(\d+):(\d+)/.exec(line.slice(at + file.length + 1)) ?? [])
      if (row !== undefined) return { file, line: Number(row), column: Number(column) }
    }
    return null
  }
}
