import { CONDITION_EVENTS, FilterKind, matches, type RequestCondition } from '#contracts'
import { type Exchange, type Filter, HeaderEncodingError, type Response } from '#http'
import { type Assign, condition, defineType, type Environment, leftValue, list, object, template } from '#schema'
import { recordStatus } from '../../lib/audit/decisions.ts'
import { EVENTS } from '../log-events.ts'

const assignments = () =>
  list(
    object({
      condition: condition().default(true).meta({ description: 'The value is assigned only if this is true.' }),
      target: leftValue().meta({
        description: 'Target of the assignment, such as `${attributes.name}` or `${session.user}`.',
      }),
      value: template()
        .optional()
        .meta({ description: 'Assigned value: any JSON, whose strings may be expressions. Null by default.' }),
    }),
  ).default([])

/** Assigns values to targets that are expressions. */
export const AssignmentFilter = defineType({
  name: 'AssignmentFilter',
  kind: FilterKind,
  summary: 'Assigns values to attributes, session entries and parts of messages.',
  target: 'sets',
  events: [EVENTS.HEADER_VALUE_LEFT_OUT, CONDITION_EVENTS.FAILED],
  config: {
    onRequest: assignments().meta({ description: 'Assignments made in order before the request is passed on.' }),
    onResponse: assignments().meta({ description: 'Assignments made in order after the response.' }),
  },
  create: ({ onRequest, onResponse }, env) => assign(onRequest, onResponse, env),
})

interface Assignment {
  readonly condition: RequestCondition
  readonly target: Assign
  readonly value?: ((exchange: Exchange, response?: Response | null) => Promise<unknown>) | undefined
}

/** Each assignment sees the changes of those before it. */
function assign(
  onRequest: readonly Assignment[],
  onResponse: readonly Assignment[],
  { logger }: Pick<Environment, 'logger'>,
): Filter {
  const warnOfEncoding = (reason: string): void => {
    logger.limited(reason).warn({ reason }, EVENTS.HEADER_VALUE_LEFT_OUT)
  }
  const make = async (assignments: readonly Assignment[], exchange: Exchange, response: Response | null) => {
    for (const { condition, target, value } of assignments) {
      if (!(await matches(condition, exchange, response, logger))) continue
      const assigned = value === undefined ? null : await value(exchange, response)
      try {
        await target(exchange, response, assigned)
      } catch (error) {
        if (!((error as Error).cause instanceof HeaderEncodingError)) throw error
        // Removes a value that the client sent in the header.
        await target(exchange, response, null)
        warnOfEncoding((error as Error).message)
      }
    }
  }
  return async (exchange, next) => {
    await make(onRequest, exchange, null)
    const response = await next(exchange)
    if (onResponse.length === 0) return response
    const { status } = response
    try {
      await make(onResponse, exchange, response)
    } catch (error) {
      // Cancels the body, so that its connection is released.
      response.body.cancel()
      throw error
    }
    if (response.status !== status) recordStatus(exchange, logger, response.status, 'status assigned')
    return response
  }
}
