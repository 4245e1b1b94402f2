import {
  type DataSource,
  DataSourceKind,
  FilterKind,
  SqlAttributesContext,
  SqlError,
  type SqlStatement,
  type SqlValue,
} from '#contracts'
import { type Exchange, type Filter, respond, respondUnavailable } from '#http'
import { JsonNumber } from '#json'
import type { Logger } from '#logging'
import { type Assign, config, defineType, field, leftValue, list, type Runtime, ref, runtime, string } from '#schema'
import { recordFailed } from '../../lib/audit/decisions.ts'
import { assignedTarget } from '../../lib/deprecated-fields/assigned-target.ts'
import { EVENTS } from '../log-events.ts'

/** Provides a row of a database. */
export const SqlAttributesFilter = defineType({
  name: 'SqlAttributesFilter',
  kind: FilterKind,
  summary: 'Queries a database and adds the first row of the result to the contexts.',
  provides: [SqlAttributesContext],
  events: [EVENTS.SQL_FAILED],
  config: {
    dataSource: dataSourceReference().meta({ description: 'The database.' }),
    preparedStatement: config(string({ nonEmpty: true })).meta({
      description: 'The SQL statement, with `?` in place of each parameter.',
    }),
    parameters: list(runtime('any'))
      .default([])
      .meta({ description: 'Values of the parameters, in the order of their `?`.' }),
    target: leftValue().optional().meta({
      description: 'Further target of the row, such as `${attributes.sql}`.',
      replacement: 'use contexts.sqlAttributes.row',
    }),
  },
  migrate: assignedTarget('${contexts.sqlAttributes.row}'),
  check: ({ dataSource, preparedStatement, parameters }, report) => {
    try {
      const { parameterCount } = dataSource.prepare(preparedStatement)
      if (parameterCount === parameters.length) return
      const expected = `expected ${parameterCount} values, one for each ? of preparedStatement`
      report('/parameters', `${expected}, got ${parameters.length}`)
    } catch (error) {
      report('/preparedStatement', (error as Error).message)
    }
  },
  create: ({ dataSource, preparedStatement, parameters, target }, { logger }) =>
    sqlAttributes({ statement: dataSource.prepare(preparedStatement), parameters, target: target ?? null, logger }),
})

/** A reference to a data source. In old files it is a name in the directory of a Java container, in which the gateway does not run. */
function dataSourceReference(): ReturnType<typeof ref<DataSource>> {
  const reference = ref(DataSourceKind)
  return field(reference.info.shape, (value, report) => {
    if (typeof value !== 'string' || !/^(?:java:|jdbc\/)/.test(value)) return reference.decode(value, report)
    report(
      `expected a JdbcDataSource, got the JNDI name "${value}" of a Java container: declare a JdbcDataSource with jdbcUrl, username and passwordSecretId`,
    )
    return undefined
  })
}

interface Settings {
  readonly statement: SqlStatement
  readonly parameters: readonly Runtime<unknown>[]
  readonly target: Assign | null
  readonly logger: Logger
}

/** Adds the row to the contexts. Without a database the request gets 503, with an error of the database 500. */
function sqlAttributes({ statement, parameters, target, logger }: Settings): Filter {
  return async (exchange, next) => {
    const values = await valuesOf(parameters, exchange)
    try {
      const row = (await statement.firstRow(values)) ?? {}
      const extended = exchange.with(SqlAttributesContext, { row })
      await target?.(extended, null, { ...row })
      return next(extended)
    } catch (error) {
      if (!(error instanceof SqlError)) throw error
      logger.limited(error.reason).error({ error, ...exchange.ids }, EVENTS.SQL_FAILED)
      recordFailed(
        exchange,
        logger,
        error.reason === 'failed' ? 'the database query failed' : 'the database is unavailable',
      )
      return error.reason === 'failed' ? respond(500, { 'Cache-Control': 'no-store' }) : respondUnavailable()
    }
  }
}

async function valuesOf(parameters: readonly Runtime<unknown>[], exchange: Exchange): Promise<SqlValue[]> {
  const values: SqlValue[] = []
  for (const [at, parameter] of parameters.entries()) values.push(sqlValue(await parameter(exchange), at))
  return values
}

function sqlValue(value: unknown, at: number): SqlValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value
  if (value instanceof JsonNumber || typeof value === 'bigint') return String(value)
  throw new TypeError(`parameter ${at + 1} of the statement is no text, number or boolean`)
}
