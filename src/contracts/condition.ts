import { BodyTooLargeError, type Exchange, type Response } from '#http'
import type { Logger } from '#logging'
import type { Condition } from '#schema'
import { EVENTS } from './log-events.ts'

export type { Condition }

/** Clients can make a condition fail at will: its warning is logged at most once a minute for each condition. */
const WARN_INTERVAL = 60_000

/** Location of a condition, and where its failures are logged. */
export interface ConditionSource {
  /** The route that the condition belongs to, for the warning. */
  readonly route?: string
  readonly onFailure?: (error: unknown) => void
}

/**
 * Evaluates a condition that selects a branch. A failed condition counts as false and is logged: the next branch is tried.
 * Do not use it where false would skip a protection (ConditionalFilter): let the failure be a fault there. A request body
 * that the condition reads and that exceeds the storage is a fault, 413: a padded body must not skip a branch.
 */
export function matches(
  condition: Condition,
  exchange: Exchange,
  response: Response | null,
  logger: Logger,
  source: ConditionSource = {},
): boolean | Promise<boolean> {
  try {
    const value = condition(exchange, response)
    return value instanceof Promise ? settled(value, condition, logger, source) : value === true
  } catch (error) {
    return failed(error, condition, logger, source)
  }
}

async function settled(
  value: Promise<boolean | null>,
  condition: Condition,
  logger: Logger,
  source: ConditionSource,
): Promise<boolean> {
  try {
    return (await value) === true
  } catch (error) {
    return failed(error, condition, logger, source)
  }
}

function failed(error: unknown, condition: Condition, logger: Logger, { route, onFailure }: ConditionSource): false {
  if (error instanceof BodyTooLargeError && error.subject === 'request') throw error
  onFailure?.(error)
  warn(condition, error, logger, route)
  return false
}

function warn(condition: Condition, error: unknown, logger: Logger, route: string | undefined): void {
  const { source } = condition.expression
  const reason = error instanceof Error ? error.message : String(error)
  const fields = { condition: source, ...(route !== undefined && { route }), reason }
  const details = logger.isEnabled('debug') ? { error } : {}
  logger.limited(`${route} ${source}`, WARN_INTERVAL).warn({ ...fields, ...details }, EVENTS.FAILED)
}
