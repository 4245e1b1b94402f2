import { BodyTooLargeError, type Exchange, type Response } from '#http'
import type { Logger } from '#logging'
import type { Condition } from '#schema'
import { EVENTS } from './log-events.ts'

export type { Condition }

/** A client chooses how often a condition fails, so its warnings are limited: one a minute for each condition. */
const WARN_INTERVAL = 60_000

/** Location of a condition, and the handler of its failures. */
interface ConditionSource {
  /** The route that the condition belongs to, for the warning. */
  readonly route?: string
  readonly onFailure?: (error: unknown) => void
}

/**
 * Evaluates a condition that selects a branch. One that fails is false, with a warning: the request goes on to
 * the next choice. Where false would skip a protection (ConditionalFilter), do not use this; let the failure be a fault.
 * A request body that the condition has to look into and that does not fit the storage is a fault, 413: padding a body
 * must not skip a choice.
 */
export function passes(
  condition: Condition,
  exchange: Exchange,
  response: Response | null,
  logger: Logger,
  { route, onFailure }: ConditionSource = {},
): boolean | Promise<boolean> {
  const failed = (error: unknown): false => {
    if (error instanceof BodyTooLargeError && error.subject === 'request') throw error
    onFailure?.(error)
    warn(condition, error, logger, route)
    return false
  }
  try {
    const value = condition(exchange, response)
    return value instanceof Promise ? value.then((settled) => settled === true, failed) : value === true
  } catch (error) {
    return failed(error)
  }
}

function warn(condition: Condition, error: unknown, logger: Logger, route: string | undefined): void {
  const { source } = condition.expression
  const reason = error instanceof Error ? error.message : String(error)
  const fields = { condition: source, ...(route !== undefined && { route }), reason }
  const details = logger.isEnabled('debug') ? { error } : {}
  logger.limited(`${route} ${source}`, WARN_INTERVAL).warn({ ...fields, ...details }, EVENTS.FAILED)
}
