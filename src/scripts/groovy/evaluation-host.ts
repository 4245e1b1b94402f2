import { currentEvaluation, type Value } from '@identity-gateway/groovy'
import type { Exchange, Message, Response } from '#http'
import type { Logger } from '#logging'
import type { CallName, EvaluationCalls } from '../evaluation-calls.ts'
import { awaited } from './host-class.ts'
import { toGroovy } from './host-values.ts'
import type { ReadableFiles } from './readable-files.ts'

/** Interface of one evaluation of a Groovy script to the gateway. */
export interface EvaluationHost {
  readonly exchange: Exchange
  readonly calls: EvaluationCalls
  readonly logger: Logger
  /** The number of entries that the script has logged. */
  readonly logged: { entries: number }
  readonly clock: { now(): number }
  /** The files that scripts can read; null where scripts read no files. */
  readonly files: ReadableFiles | null
  /** The response for a failed upstream request; null for any other error. */
  failureResponse(error: unknown, exchange: Exchange): Response | null
  /** Writes changes inside values back; called before other code of the gateway uses the exchange. */
  publish(): void
}

/** The host of the evaluation whose code is running. */
export function currentHost(): EvaluationHost {
  const { host } = currentEvaluation()
  if (host === null) throw new TypeError('no request is being processed')
  return host as EvaluationHost
}

/** Calls the gateway for the evaluation whose code is running. */
export function callGateway(what: CallName, subject: unknown, argument: unknown = null): Promise<Value> {
  const { calls, publish } = currentHost()
  publish()
  return awaited(calls.perform(what, subject, argument).then((value) => toGroovy(value)))
}

/** As `callGateway`, for handlers and filters. As in other gateways, an upstream failure is a response and no exception. */
export function callHandler(what: CallName, subject: unknown, argument: unknown = null): Promise<Value> {
  const { calls, publish, exchange, failureResponse } = currentHost()
  publish()
  const response = calls.perform(what, subject, argument).catch((error: unknown) => {
    const failed = failureResponse(error, exchange)
    if (failed === null) throw error
    return failed
  })
  return awaited(response.then((value) => toGroovy(value)))
}

/** Buffers the content of a message. */
export function bufferMessage(message: Message): Promise<Value> {
  return callGateway('buffer', message)
}
