import { compile, type Expression, type Scope } from '#expression'
import { type AccessLog, type Exchange, type LoggedRequest, type RefusedRequest, Response } from '#http'
import { type Logger, oneLine } from '#logging'
import type { AccessLogSettings, Clock } from '#schema'
import { EVENTS } from '../log-events.ts'
import { type AccessEntry, entryOf, refusedEntry } from './access-entry.ts'
import { accessScope } from './access-scope.ts'
import { combinedLine } from './combined-line.ts'
import { jsonLines } from './json-line.ts'
import type { LineBatch } from './line-batch.ts'

/** Longest line of a template, in characters. */
const MAX_TEMPLATE_LINE = 8_192

type Format = (entry: AccessEntry, exchange: Exchange | null, response: Response | null) => string

interface AccessLogInput extends Pick<AccessLogSettings, 'format' | 'condition'> {
  readonly batch: LineBatch
  /** Names of expressions outside of the exchange. */
  readonly scope: Scope
  /** Makes a JSON line readable for a terminal. */
  readonly pretty: ((line: string) => string) | null
  readonly clock: Clock
  readonly logger: Logger
}

/** Access lines of one unit. */
export class UnitAccessLog implements AccessLog {
  readonly #input: AccessLogInput
  readonly #format: Format
  readonly #condition: Expression | null

  constructor(input: AccessLogInput) {
    this.#input = input
    this.#format = formatOf(input)
    this.#condition = input.condition === undefined ? null : compile(input.condition)
  }

  ended(request: LoggedRequest): void {
    const { exchange, outcome } = request
    const entry = entryOf(request, this.#input.clock.now(), performance.now())
    // The exchange with the contexts that filters added.
    this.#write(entry, (exchange.audit?.latest as Exchange | undefined) ?? exchange, outcome.response)
  }

  refused(request: RefusedRequest): void {
    this.#write(refusedEntry(request, this.#input.clock.now()), null, new Response(request.status))
  }

  #write(entry: AccessEntry, exchange: Exchange | null, response: Response | null): void {
    try {
      if (this.#condition !== null && !this.#matches(this.#condition, entry, exchange, response)) return
      this.#input.batch.add(this.#format(entry, exchange, response))
    } catch (error) {
      this.#input.logger.limited(error).warn({ error }, EVENTS.ACCESS_LINE_FAILED)
    }
  }

  #matches(condition: Expression, entry: AccessEntry, exchange: Exchange | null, response: Response | null): boolean {
    return condition.evaluate(accessScope(entry, exchange, response, this.#input.scope)) === true
  }
}

function formatOf({ format, scope, pretty }: AccessLogInput): Format {
  if (format === 'combined') return combinedLine
  if (format === 'json') {
    const line = jsonLines()
    return pretty === null ? line : (entry) => pretty(line(entry))
  }
  const template = compile(format)
  return (entry, exchange, response) => {
    const text = String(template.evaluate(accessScope(entry, exchange, response, scope)) ?? '')
    return `${oneLine(text.slice(0, MAX_TEMPLATE_LINE))}\n`
  }
}
