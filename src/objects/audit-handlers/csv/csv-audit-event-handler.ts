import { AUDIT_FILE_EVENTS, csvRows, formattingProblem } from '#audit'
import { AuditEventHandlerKind, type AuditTopic } from '#contracts'
import { boolean, config, defineType, object, string } from '#schema'
import { checkFileFields, FILE_FIELDS, filePlanOf, OLDER_FILE_FIELDS } from '../../lib/audit/file-fields.ts'
import { HANDLER_EVENTS, HANDLER_FIELDS, HANDLER_METRICS, handlerBase } from '../../lib/audit/handler-fields.ts'

/** Milliseconds until a row is on the disk. */
const SYNC = 100

/** Writes events as rows to a file for each topic. */
export const CsvAuditEventHandler = defineType({
  name: 'CsvAuditEventHandler',
  kind: AuditEventHandlerKind,
  summary: 'Writes audit events as rows to `<topic>.csv`.',
  metrics: HANDLER_METRICS,
  events: [...HANDLER_EVENTS, ...Object.values(AUDIT_FILE_EVENTS)],
  config: {
    ...HANDLER_FIELDS,
    ...FILE_FIELDS,
    formatting: object({
      quoteChar: config(string()).default('"').meta({ description: 'Character around each cell.' }),
      delimiterChar: config(string()).default(',').meta({ description: 'Character between two cells.' }),
      endOfLineSymbols: config(string()).default('\n').meta({ description: 'End of each row: `\\n` or `\\r\\n`.' }),
    })
      .default({})
      .meta({ description: 'Characters between cells and rows.' }),
    formulaProtection: config(boolean()).default(true).meta({
      description:
        'Whether text is protected that spreadsheets would evaluate: that begins with `=`, `+`, `-`, `@`, a tab or a carriage return, or has such a sign behind `,`, `;`, `|` or a tab.',
    }),
    buffering: object({
      enabled: config(boolean())
        .default(false)
        .meta({ description: 'Whether rows may be flushed to the disk later than 100 ms after they were written.' }),
      autoFlush: config(boolean())
        .default(true)
        .meta({ description: 'Whether buffered rows are still flushed to the disk within 100 ms.' }),
    })
      .default({})
      .meta({ description: 'When rows are flushed to the disk.' }),
  },
  older: OLDER_FILE_FIELDS,
  check: (values, report) => {
    checkFileFields(values, report)
    const { quoteChar, delimiterChar, endOfLineSymbols } = values.formatting
    const problem = formattingProblem(quoteChar, delimiterChar)
    if (problem !== null) report(`/formatting/${problem.field}`, problem.message)
    if (!isLineEnd(endOfLineSymbols)) report('/formatting/endOfLineSymbols', 'expected "\\n" or "\\r\\n"')
  },
  create: async (values, env) => {
    const { formatting, formulaProtection, buffering, security } = values
    const { quoteChar, delimiterChar, endOfLineSymbols } = formatting
    const rowsOf = ({ schema }: AuditTopic) =>
      csvRows(schema, { quoteChar, delimiterChar, formulaProtection, isChained: security.enabled })
    const isLazy = buffering.enabled && !buffering.autoFlush
    return {
      ...handlerBase(values),
      format: {
        key: `csv ${JSON.stringify([quoteChar, delimiterChar, formulaProtection])}`,
        forTopic: (topic) => rowsOf(topic).row,
        header: (topic) => rowsOf(topic).header,
      },
      transport: await filePlanOf(
        values,
        {
          extension: '.csv',
          lineEnd: isLineEnd(endOfLineSymbols) ? endOfLineSymbols : '\n',
          sync: isLazy ? Number.POSITIVE_INFINITY : SYNC,
          csv: { quote: quoteChar, delimiter: delimiterChar },
        },
        env,
      ),
      supportsQueries: false,
    }
  },
})

function isLineEnd(text: string): text is '\n' | '\r\n' {
  return text === '\n' || text === '\r\n'
}
