import type { Exchange, Response } from '#http'
import type { Logger } from '#logging'
import type { Condition } from '#schema'

export type { Condition }

/**
 * Asks a condition that chooses between ways. One that fails is false, with a warning: the request goes on to
 * the next choice. Where false would open a door (ConditionalFilter), do not use this; let the failure be a fault.
 */
export function passes(
  condition: Condition,
  exchange: Exchange,
  response: Response | null,
  logger: Logger,
  onFailure?: (error: unknown) => void,
): boolean | Promise<boolean> {
  const failed = (error: unknown): false => {
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
