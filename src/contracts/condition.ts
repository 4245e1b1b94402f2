import { BodyTooLargeError, type Exchange, type Response } from '#http'
import type { Logger } from '#logging'
import type { Condition } from '#schema'

export type { Condition }

/**
 * Asks a condition that chooses between ways. One that fails is false, with a warning: the request goes on to
 * the next choice. Where false would open a door (ConditionalFilter), do not use this; let the failure be a fault.
 * A request body that the condition has to look into and that does not fit the storage is a fault, 413: padding a body
 * must not skip a choice.
 */
export function passes(
  condition: Condition,
  exchange: Exchange,
  response: Response | null,
  logger: Logger,
  onFailure?: (error: unknown) => void,
): boolean | Promise<boolean> {
  const failed = (error: unknown): false => {
    if (error instanceof BodyTooLargeError && error.subject === 'request') throw error
    onFailure?.(error)
    logger.warn({ error, condition: condition.expression.source }, 'the condition failed and counts as false')
    return false
  }
  try {
    const value = condition(exchange, response)
    return value instanceof Promise ? value.then((settled) => settled === true, failed) : value === true
  } catch (error) {
    return failed(error)
  }
}
