import type { Exchange, Response } from '#http'
import type { Logger } from '#logging'
import { recordResponse } from '../../lib/audit/decisions.ts'
import { type Awaitable, then } from './awaitable.ts'

/** State of a flow for one request: steps read it and set it for later steps. */
export interface FlowState {
  readonly exchange: Exchange
  readonly logger: Logger
}

/**
 * One step of a flow, skipped where its precondition `when` is false. The function shows the outcome: `prepare` continues,
 * `check` ends the flow by a response or continues with null, `answer` ends the flow.
 */
export type Step<S> = {
  readonly name: string
  readonly when?: (state: S) => Awaitable<boolean>
} & (
  | { readonly prepare: (state: S) => Awaitable<void> }
  | { readonly check: (state: S) => Awaitable<Response | null> }
  | { readonly answer: (state: S) => Awaitable<Response> }
)

/** Response to errors of a class that steps throw. Errors that no failure accepts reject the flow. */
export interface Failure<S> {
  readonly name: string
  readonly of: abstract new (...parameters: never) => Error
  readonly when?: (error: never, state: S) => boolean
  readonly answer: (error: never, state: S) => Awaitable<Response>
}

type Outcome = Response | null | undefined

/** Runs steps in their order until one returns a response. An `answer` may be a flow itself. */
export function flow<S extends FlowState>(
  steps: readonly Step<S>[],
  failures: readonly Failure<S>[] = [],
): (state: S) => Promise<Response> {
  const last = steps.length - 1
  const end = steps[last]
  if (end === undefined || !('answer' in end) || end.when !== undefined)
    throw new Error('expected a last step that always answers')
  const runs = steps.map(runnable)

  /** Synchronous where no step returns a promise: most requests use cached values only. */
  const runFrom = (first: number, state: S): Awaitable<Response> => {
    for (let at = first; ; at++) {
      const outcome = (runs[at] as Run<S>)(state)
      if (at === last) return outcome as Awaitable<Response>
      if (outcome instanceof Promise)
        return outcome.then((response) => ended(response, at, state) ?? runFrom(at + 1, state))
      const response = ended(outcome, at, state)
      if (response !== null) return response
    }
  }

  const ended = (response: Outcome, at: number, state: S): Response | null => {
    if (!response) return null
    const { name } = steps[at] as Step<S>
    trace(name, state)
    recordResponse(state.exchange, state.logger, response, name)
    return response
  }

  const failed = (error: unknown, state: S): Awaitable<Response> => {
    const failure = failures.find(
      ({ of, when }) => error instanceof of && (when === undefined || when(error as never, state)),
    )
    if (failure === undefined) throw error
    trace(failure.name, state)
    const response = failure.answer(error as never, state)
    return then(response, (answer) => {
      recordResponse(state.exchange, state.logger, answer, failure.name)
      return answer
    })
  }

  return (state) => {
    let outcome: Awaitable<Response>
    try {
      outcome = runFrom(0, state)
    } catch (error) {
      outcome = Promise.reject(error)
    }
    const response = Promise.resolve(outcome)
    return failures.length === 0 ? response : response.catch((error: unknown) => failed(error, state))
  }
}

type Run<S> = (state: S) => Awaitable<Outcome>

function runnable<S>(step: Step<S>): Run<S> {
  const run = 'prepare' in step ? (step.prepare as Run<S>) : 'check' in step ? step.check : step.answer
  const { when } = step
  if (when === undefined) return run
  return (state) => {
    const applies = when(state)
    if (applies instanceof Promise) return applies.then((isTrue) => (isTrue ? run(state) : null))
    return applies ? run(state) : null
  }
}

function trace(step: string, { exchange, logger }: FlowState): void {
  if (!logger.isEnabled('debug')) return
  logger.debug({ step, ...exchange.ids }, 'request answered by a step of the filter')
}
